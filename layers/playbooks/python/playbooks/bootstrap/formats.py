"""The document formats that this version writes; a test holds them to the writers there are."""

WRITABLE = ("xlsx", "csv", "docx", "pdf", "md")
