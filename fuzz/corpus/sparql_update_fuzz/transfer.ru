PREFIX : <http://example.org/> ADD DEFAULT TO :g ; MOVE SILENT GRAPH :g TO DEFAULT ; COPY :g TO GRAPH :h ;
