LOAD SILENT <http://example.org/doc> INTO GRAPH <http://example.org/g> ; CLEAR DEFAULT ; CLEAR NAMED ; DROP SILENT ALL ; DROP GRAPH <http://example.org/g> ; CREATE SILENT GRAPH <http://example.org/h>
