"""What type checkers and editors know of the tools. Made of the registry by tests/python/stubs_test.py."""

from typing import Any, Literal

from helve.replies import Reply

class ToolMethods:
    def sparql_schema(
        self,
        output_mode: Literal['overview', 'classes', 'properties', 'patterns'] = 'overview',
        filter_prefix: str | None = None,
        limit: int = 50,
        use_cache: bool = True,
        *,
        max_chars: int | None = None,
        output_format: Literal['text', 'json'] | None = None,
        source: str | None = None,
    ) -> Reply:
        """What is in the graph: an overview, its classes, its properties, or patterns of queries that give rows on it. Start here."""
        ...
    def sparql_find(
        self,
        pattern: str,
        kind: Literal['any', 'class', 'property', 'instance'] = 'any',
        limit: int = 20,
        *,
        max_chars: int | None = None,
        output_format: Literal['text', 'json'] | None = None,
        source: str | None = None,
    ) -> Reply:
        """Finds classes, properties and instances by words of their labels, synonyms or names, misspelt ones too. Use it before writing an IRI."""
        ...
    def sparql_peek(
        self,
        resource: str,
        limit: int = 5,
        properties: bool = True,
        output_mode: Literal['sample', 'schema', 'count'] = 'sample',
        related_memories: bool = True,
        *,
        max_chars: int | None = None,
        output_format: Literal['text', 'json'] | None = None,
        source: str | None = None,
    ) -> Reply:
        """A first look at a class (instances, properties), a property, an instance, or the first rows of a handle."""
        ...
    def sparql_describe(
        self,
        resource: str,
        limit: int = 20,
        direction: Literal['both', 'outgoing', 'incoming'] = 'both',
        output_mode: Literal['triples', 'summary', 'grouped'] = 'triples',
        *,
        max_chars: int | None = None,
        output_format: Literal['text', 'json'] | None = None,
        source: str | None = None,
    ) -> Reply:
        """What is said about one thing, and what points at it."""
        ...
    def sparql_classes(
        self,
        limit: int = 50,
        filter_prefix: str | None = None,
        *,
        max_chars: int | None = None,
        output_format: Literal['text', 'json'] | None = None,
        source: str | None = None,
    ) -> Reply:
        """The classes of the graph, the largest first."""
        ...
    def sparql_properties(
        self,
        limit: int = 50,
        filter_prefix: str | None = None,
        *,
        max_chars: int | None = None,
        output_format: Literal['text', 'json'] | None = None,
        source: str | None = None,
    ) -> Reply:
        """The properties of the graph, the largest first."""
        ...
    def sparql_sample(
        self,
        resource: str,
        limit: int = 10,
        *,
        max_chars: int | None = None,
        output_format: Literal['text', 'json'] | None = None,
        source: str | None = None,
    ) -> Reply:
        """Some instances of a class with a few of their properties."""
        ...
    def endpoint_info(
        self,
        *,
        max_chars: int | None = None,
        output_format: Literal['text', 'json'] | None = None,
        source: str | None = None,
    ) -> Reply:
        """Name, address, engine, size and limits of the source."""
        ...
    def sparql_query(
        self,
        query: str,
        limit: int = 100,
        timeout: float = 30,
        validate: bool = True,
        explain: bool = False,
        diagnose: bool = True,
        store_pattern: bool = True,
        *,
        max_chars: int | None = None,
        output_format: Literal['text', 'json'] | None = None,
        source: str | None = None,
    ) -> Reply:
        """Runs a SPARQL query. All rows are stored behind a handle; the reply shows the first. Prefixes of the data need not be declared; empty answers are explained."""
        ...
    def sparql_slice(
        self,
        result: str,
        offset: int = 0,
        limit: int = 100,
        columns: list[str] | None = None,
        *,
        max_chars: int | None = None,
        output_format: Literal['text', 'json'] | None = None,
        source: str | None = None,
    ) -> Reply:
        """Shows rows of a stored result, page by page."""
        ...
    def sparql_count(
        self,
        query: str,
        timeout: float = 30,
        *,
        max_chars: int | None = None,
        output_format: Literal['text', 'json'] | None = None,
        source: str | None = None,
    ) -> Reply:
        """Counts the rows of any query, or the instances of a class, without storing them."""
        ...
    def sparql_stats(
        self,
        result: str,
        *,
        max_chars: int | None = None,
        output_format: Literal['text', 'json'] | None = None,
        source: str | None = None,
    ) -> Reply:
        """Tells the size and the origin of a handle."""
        ...
    def g_load(
        self,
        path: str,
        *,
        max_chars: int | None = None,
        output_format: Literal['text', 'json'] | None = None,
        source: str | None = None,
    ) -> Reply:
        """Loads a file of RDF and gives a handle of the graph."""
        ...
    def g_stats(
        self,
        handle: str,
        *,
        max_chars: int | None = None,
        output_format: Literal['text', 'json'] | None = None,
        source: str | None = None,
    ) -> Reply:
        """The size of a graph behind a handle."""
        ...
    def g_query(
        self,
        handle: str,
        query: str,
        limit: int = 100,
        timeout: float = 30,
        validate: bool = True,
        explain: bool = False,
        diagnose: bool = True,
        *,
        max_chars: int | None = None,
        output_format: Literal['text', 'json'] | None = None,
        source: str | None = None,
    ) -> Reply:
        """Runs a SPARQL query on a graph behind a handle."""
        ...
    def g_sample(
        self,
        handle: str,
        limit: int = 10,
        resource: str | None = None,
        *,
        max_chars: int | None = None,
        output_format: Literal['text', 'json'] | None = None,
        source: str | None = None,
    ) -> Reply:
        """Some triples of a graph behind a handle, or instances of a class of it."""
        ...
    def g_classes(
        self,
        handle: str,
        limit: int = 50,
        *,
        max_chars: int | None = None,
        output_format: Literal['text', 'json'] | None = None,
        source: str | None = None,
    ) -> Reply:
        """The classes of a graph behind a handle."""
        ...
    def g_props(
        self,
        handle: str,
        limit: int = 50,
        *,
        max_chars: int | None = None,
        output_format: Literal['text', 'json'] | None = None,
        source: str | None = None,
    ) -> Reply:
        """The properties of a graph behind a handle."""
        ...
    def g_describe(
        self,
        handle: str,
        resource: str,
        limit: int = 20,
        direction: Literal['both', 'outgoing', 'incoming'] = 'both',
        output_mode: Literal['triples', 'summary', 'grouped'] = 'triples',
        *,
        max_chars: int | None = None,
        output_format: Literal['text', 'json'] | None = None,
        source: str | None = None,
    ) -> Reply:
        """What is said about one thing in a graph behind a handle."""
        ...
    def ont_load(
        self,
        path: str,
        *,
        max_chars: int | None = None,
        output_format: Literal['text', 'json'] | None = None,
        source: str | None = None,
    ) -> Reply:
        """Loads an ontology and gives a handle of it."""
        ...
    def ont_classes(
        self,
        handle: str,
        limit: int = 50,
        *,
        max_chars: int | None = None,
        output_format: Literal['text', 'json'] | None = None,
        source: str | None = None,
    ) -> Reply:
        """The classes that an ontology declares."""
        ...
    def ont_properties(
        self,
        handle: str,
        limit: int = 50,
        *,
        max_chars: int | None = None,
        output_format: Literal['text', 'json'] | None = None,
        source: str | None = None,
    ) -> Reply:
        """The properties that an ontology declares."""
        ...
    def ctx_peek(
        self,
        key: str,
        n: int = 200,
        *,
        max_chars: int | None = None,
        output_format: Literal['text', 'json'] | None = None,
        source: str | None = None,
    ) -> Reply:
        """The beginning of a stored text."""
        ...
    def ctx_slice(
        self,
        key: str,
        start: int = 0,
        end: int = 100,
        *,
        max_chars: int | None = None,
        output_format: Literal['text', 'json'] | None = None,
        source: str | None = None,
    ) -> Reply:
        """A part of a stored text, by characters."""
        ...
    def ctx_stats(
        self,
        key: str,
        *,
        max_chars: int | None = None,
        output_format: Literal['text', 'json'] | None = None,
        source: str | None = None,
    ) -> Reply:
        """The size of a stored text."""
        ...
    def ctx_find(
        self,
        key: str,
        text: str,
        limit: int = 20,
        *,
        max_chars: int | None = None,
        output_format: Literal['text', 'json'] | None = None,
        source: str | None = None,
    ) -> Reply:
        """Where a text occurs in a stored text, in any case of letters."""
        ...
    def federated_endpoints(
        self,
        path: str,
        *,
        max_chars: int | None = None,
        output_format: Literal['text', 'json'] | None = None,
        source: str | None = None,
    ) -> Reply:
        """Reads a folder of SHACL SPARQL examples (sh:SPARQLExecutable) and gives a handle of the endpoints, graphs and prefixes that they tell of."""
        ...
    def endpoints_list(
        self,
        ref: str,
        limit: int = 10,
        *,
        max_chars: int | None = None,
        output_format: Literal['text', 'json'] | None = None,
        source: str | None = None,
    ) -> Reply:
        """The endpoints that examples are for and those that they ask too, the most used first."""
        ...
    def endpoint_detail(
        self,
        ref: str,
        name: str,
        *,
        max_chars: int | None = None,
        output_format: Literal['text', 'json'] | None = None,
        source: str | None = None,
    ) -> Reply:
        """What the examples tell of one endpoint: questions, other endpoints that are asked with it, graphs, keywords, addresses, prefixes."""
        ...
    def data_graphs(
        self,
        ref: str,
        limit: int = 20,
        *,
        max_chars: int | None = None,
        output_format: Literal['text', 'json'] | None = None,
        source: str | None = None,
    ) -> Reply:
        """The named graphs that examples ask, with the endpoints that have them."""
        ...
    def service_desc(
        self,
        url: str,
        *,
        max_chars: int | None = None,
        output_format: Literal['text', 'json'] | None = None,
        source: str | None = None,
    ) -> Reply:
        """Reads a SPARQL Service Description or VoID (Turtle, RDF/XML) and gives a handle of it, which the g_* tools take too."""
        ...
    def service_desc_stats(
        self,
        ref: str,
        limit: int = 20,
        *,
        max_chars: int | None = None,
        output_format: Literal['text', 'json'] | None = None,
        source: str | None = None,
    ) -> Reply:
        """The endpoints and datasets that a description tells of, and their sizes."""
        ...
    def service_desc_graphs(
        self,
        ref: str,
        limit: int = 20,
        *,
        max_chars: int | None = None,
        output_format: Literal['text', 'json'] | None = None,
        source: str | None = None,
    ) -> Reply:
        """The named graphs that a description tells of, and the default dataset."""
        ...
    def service_desc_features(
        self,
        ref: str,
        limit: int = 20,
        *,
        max_chars: int | None = None,
        output_format: Literal['text', 'json'] | None = None,
        source: str | None = None,
    ) -> Reply:
        """Features, languages, result formats and extension functions that a description names."""
        ...
    def service_desc_sample(
        self,
        ref: str,
        limit: int = 10,
        *,
        max_chars: int | None = None,
        output_format: Literal['text', 'json'] | None = None,
        source: str | None = None,
    ) -> Reply:
        """Some statements of a description."""
        ...
    def load_shacl_tasks(
        self,
        path: str,
        complexity_filter: Literal['simple', 'moderate', 'complex'] | None = None,
        *,
        max_chars: int | None = None,
        output_format: Literal['text', 'json'] | None = None,
        source: str | None = None,
    ) -> Reply:
        """Reads a folder of SHACL SPARQL examples (sh:SPARQLExecutable) and gives a handle of tasks: each a question with the query that answers it."""
        ...
    def get_task_stats(
        self,
        ref: str,
        *,
        max_chars: int | None = None,
        output_format: Literal['text', 'json'] | None = None,
        source: str | None = None,
    ) -> Reply:
        """How many tasks a handle has, by complexity, endpoint and keyword."""
        ...
    def sample_tasks(
        self,
        ref: str,
        limit: int = 10,
        complexity: Literal['simple', 'moderate', 'complex'] | None = None,
        seed: int = 0,
        *,
        max_chars: int | None = None,
        output_format: Literal['text', 'json'] | None = None,
        source: str | None = None,
    ) -> Reply:
        """Some tasks by chance: the same for the same seed, and a smaller sample is the beginning of a larger one."""
        ...
    def read_skill(
        self,
        name: str,
        *,
        max_chars: int | None = None,
        output_format: Literal['text', 'json'] | None = None,
        source: str | None = None,
    ) -> Reply:
        """How to go about one kind of work with these tools: when, the steps, pitfalls and a worked example. Without a name that it knows, it names the skills there are."""
        ...
    def get_schema_summary(
        self,
        guide: bool = False,
        *,
        max_chars: int | None = None,
        output_format: Literal['text', 'json'] | None = None,
        source: str | None = None,
    ) -> Reply:
        """What a source is and what queries should avoid and may rely on, in some 1,600 characters: a text for the prompt of an agent that works on it. For names and counts use sparql_schema or schema_inspect."""
        ...
    def get_skills_summary(
        self,
        *,
        max_chars: int | None = None,
        output_format: Literal['text', 'json'] | None = None,
        source: str | None = None,
    ) -> Reply:
        """Names and descriptions of all skills, a line for each: a text for the prompt of an agent that can call read_skill."""
        ...
    def schema_inspect(
        self,
        action: Literal['list_tables', 'describe_table', 'list_indexes', 'list_foreign_keys', 'search'] = 'list_tables',
        table: str | None = None,
        detail: Literal['summary', 'names', 'full'] = 'summary',
        pattern: str | None = None,
        limit: int = 50,
        *,
        max_chars: int | None = None,
        output_format: Literal['text', 'json'] | None = None,
        source: str | None = None,
    ) -> Reply:
        """Tables, columns, keys and indexes of a SQL database; table=NAME describes one."""
        ...
    def query_execute(
        self,
        sql: str,
        limit: int = 100,
        timeout: float = 30,
        params: list[Any] | None = None,
        *,
        max_chars: int | None = None,
        output_format: Literal['text', 'json'] | None = None,
        source: str | None = None,
    ) -> Reply:
        """Runs one SELECT on a SQL database. All rows are stored behind a handle; empty answers are explained."""
        ...
    def explain_plan(
        self,
        sql: str,
        params: list[Any] | None = None,
        timeout: float = 30,
        *,
        max_chars: int | None = None,
        output_format: Literal['text', 'json'] | None = None,
        source: str | None = None,
    ) -> Reply:
        """How a SQL database would run a SELECT: the plan, estimated rows and cost. Nothing is run."""
        ...
    def data_modify(
        self,
        sql: str,
        params: list[Any] | None = None,
        dry_run: bool = False,
        confirm: str | None = None,
        timeout: float = 30,
        *,
        max_chars: int | None = None,
        output_format: Literal['text', 'json'] | None = None,
        source: str | None = None,
    ) -> Reply:
        """Runs one INSERT, UPDATE or DELETE on a SQL database. A person may have to confirm it. If the reply has a token, the same call with confirm=TOKEN applies the change."""
        ...
    def ddl_execute(
        self,
        sql: str,
        dry_run: bool = False,
        confirm: str | None = None,
        timeout: float = 30,
        *,
        max_chars: int | None = None,
        output_format: Literal['text', 'json'] | None = None,
        source: str | None = None,
    ) -> Reply:
        """Creates, changes or drops tables, indexes and views of a SQL database. A person may have to confirm it. If the reply has a token, the same call with confirm=TOKEN applies the change."""
        ...
    def transaction(
        self,
        action: Literal['status', 'begin', 'commit', 'rollback'] = 'status',
        confirm: str | None = None,
        timeout: float = 30,
        *,
        max_chars: int | None = None,
        output_format: Literal['text', 'json'] | None = None,
        source: str | None = None,
    ) -> Reply:
        """Several data_modify calls as one change: begin, change, then commit or rollback. What is left open is rolled back after a minute."""
        ...
    def result_sql(
        self,
        sql: str,
        limit: int = 100,
        timeout: float = 30,
        *,
        max_chars: int | None = None,
        output_format: Literal['text', 'json'] | None = None,
        source: str | None = None,
    ) -> Reply:
        """Runs one SELECT statement of SQLite over handles of rows, each a table under its key: join, filter, group, subtract or page earlier results. All rows are stored behind a new handle."""
        ...
    def mem_search(
        self,
        q: str,
        k: int = 6,
        polarity: Literal['any', 'success', 'failure', 'seed', 'contrastive', 'pattern', 'human'] = 'any',
        domain: str | None = None,
        tags: list[str] | None = None,
        quarantined: bool = False,
        *,
        max_chars: int | None = None,
        output_format: Literal['text', 'json'] | None = None,
        source: str | None = None,
    ) -> Reply:
        """Lessons of earlier work for a question, the best first, without their content: mem_get has it."""
        ...
    def mem_get(
        self,
        ids: list[str],
        max_n: int = 3,
        *,
        max_chars: int | None = None,
        output_format: Literal['text', 'json'] | None = None,
        source: str | None = None,
    ) -> Reply:
        """Items of the memory, whole."""
        ...
    def mem_quote(
        self,
        id: str,
        chars: int = 500,
        start: int = 0,
        *,
        max_chars: int | None = None,
        output_format: Literal['text', 'json'] | None = None,
        source: str | None = None,
    ) -> Reply:
        """A part of the content of one item, by characters."""
        ...
    def mem_add(
        self,
        item: dict[str, Any],
        *,
        max_chars: int | None = None,
        output_format: Literal['text', 'json'] | None = None,
        source: str | None = None,
    ) -> Reply:
        """Stores a lesson. It is quarantined until a person verifies it: search shows it on request only."""
        ...
    def mem_extract(
        self,
        result: str,
        task: str,
        judgment: Any | None = None,
        auto_store: bool = True,
        *,
        max_chars: int | None = None,
        output_format: Literal['text', 'json'] | None = None,
        source: str | None = None,
    ) -> Reply:
        """Keeps the pattern of the query of a result, without its constants. Without a verified judgment it is quarantined."""
        ...
    def mem_learn_from_failure(
        self,
        task: str,
        error: Any,
        result: str | None = None,
        query: str | None = None,
        *,
        max_chars: int | None = None,
        output_format: Literal['text', 'json'] | None = None,
        source: str | None = None,
    ) -> Reply:
        """Keeps what to avoid: the pattern of a query that failed, and how. It is quarantined until a person verifies it."""
        ...
    def list_tools(
        self,
        category: Literal['all', 'query', 'explore', 'analyze', 'memory', 'sql', 'endpoint', 'tasks'] = 'all',
        verbose: bool = False,
        *,
        max_chars: int | None = None,
        output_format: Literal['text', 'json'] | None = None,
        source: str | None = None,
    ) -> Reply:
        """The tools there are, with their parameters and defaults. Use verbose=true for what they return and an example."""
        ...
    def call_tool(
        self,
        name: str | None = None,
        arguments: Any | None = None,
        *,
        max_chars: int | None = None,
        output_format: Literal['text', 'json'] | None = None,
        source: str | None = None,
    ) -> Reply:
        """Calls any tool by its name, also those that are not listed. Without a name it lists all of them with their parameters."""
        ...
