"""HTTP beside gRPC: the same services by Connect, gRPC-Web and JSON, and pages for browsers.

============  =================================================================================
door          listens, beside a server that runs; ``settings`` say where
connections   how many there are, and how long one may do nothing (uvicorn speaks HTTP)
site          what becomes of a request: ``origins`` who may ask, ``pages``, ``login``, calls
figures       what the service counts, for administrators
application   the methods as Connect's application has them; ``call`` is what servicers see
exchange …    headers and answers; ``terms`` and ``body`` read what was sent, ``faults`` says what
              was wrong with it
json_form     messages as JSON, read strictly; ``codecs`` has both forms
============  =================================================================================

Needs the packages of the extra ``web``.
"""
