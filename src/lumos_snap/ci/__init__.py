"""What pipelines speak to: GitHub with its one comment and its status, and a webhook."""
