"""The service around the engine: event store, tables in memory, gRPC, command line."""
