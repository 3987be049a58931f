PREFIX : <http://example.org/>
LOAD :a INTO DEFAULT
