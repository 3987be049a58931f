PREFIX : <http://example.org/>
