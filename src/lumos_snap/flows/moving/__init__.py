"""Moving metadata: out of a catalog, into a tree or a document, and looking whether all came."""
