"""What a snapshot is: types, fields, sections, entities, observations, names and places."""
