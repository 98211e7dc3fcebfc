"""Tables in memory, the command path, clocks: the service without any transport."""
