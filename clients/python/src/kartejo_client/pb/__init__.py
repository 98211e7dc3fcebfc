"""Generated from proto/ by tools/make_proto.py; do not edit."""
