"""Tests of the browser's door, over real sockets."""
