"""The commands: one module or folder for each verb; nothing here prints or reads the clock."""
