"""The laws that every game keeps; a game registers by a class of three lines in test_laws."""
