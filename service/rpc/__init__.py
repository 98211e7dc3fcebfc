"""gRPC: one servicer per service, over the application services of ``service.host``."""
