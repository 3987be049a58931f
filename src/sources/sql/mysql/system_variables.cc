#include "sources/sql/mysql/system_variables.h"

#include "base/ascii.h"
#include "base/word_list.h"

namespace helve::sql::mysql {

namespace {

// Of both databases. What is not here may name files, users, hosts or keys.
constexpr std::string_view kShownVariables =
    "auto_increment_increment auto_increment_offset autocommit big_tables binlog_format "
    "block_encryption_mode character_set_client character_set_collations "
    "character_set_connection character_set_database character_set_filesystem "
    "character_set_results character_set_server character_set_system check_constraint_checks "
    "collation_connection collation_database collation_server column_compression_threshold "
    "completion_type cte_max_recursion_depth date_format datetime_format "
    "default_collation_for_utf8mb4 default_storage_engine default_week_format "
    "div_precision_increment eq_range_index_dive_limit error_count event_scheduler "
    "explicit_defaults_for_timestamp foreign_key_checks ft_boolean_syntax ft_max_word_len "
    "ft_min_word_len group_concat_max_len have_compress have_geometry have_openssl "
    "have_partitioning have_ssl identity information_schema_stats_expiry "
    "innodb_buffer_pool_size innodb_ft_max_token_size innodb_ft_min_token_size "
    "innodb_page_size innodb_strict_mode innodb_version interactive_timeout "
    "internal_tmp_mem_storage_engine join_buffer_size last_insert_id lc_messages lc_time_names "
    "license local_infile lock_wait_timeout log_bin long_query_time lower_case_file_system "
    "lower_case_table_names max_allowed_packet max_connections max_error_count "
    "max_execution_time max_heap_table_size max_join_size max_length_for_sort_data "
    "max_prepared_stmt_count max_recursive_iterations max_sort_length max_statement_time "
    "max_user_connections min_examined_row_limit net_buffer_length net_read_timeout "
    "net_write_timeout ngram_token_size old_mode open_files_limit optimizer_prune_level "
    "optimizer_search_depth optimizer_switch port protocol_version pseudo_thread_id "
    "query_cache_size query_cache_type rand_seed1 rand_seed2 range_optimizer_max_mem_size "
    "read_buffer_size read_only regexp_stack_limit regexp_time_limit server_id "
    "show_compatibility_56 sort_buffer_size sql_auto_is_null sql_big_selects "
    "sql_buffer_result sql_if_exists sql_log_bin sql_mode sql_notes sql_quote_show_create "
    "sql_require_primary_key sql_safe_updates sql_select_limit sql_warnings storage_engine "
    "super_read_only system_time_zone system_versioning_alter_history "
    "system_versioning_asof table_definition_cache table_open_cache thread_handling "
    "time_format time_zone timestamp tmp_memory_table_size tmp_table_size "
    "transaction_isolation transaction_read_only tx_isolation tx_read_only unique_checks "
    "version version_comment version_compile_machine version_compile_os "
    "version_malloc_library wait_timeout warning_count windowing_use_high_precision";

constexpr std::string_view kTables =
    "global_variables persisted_variables session_variables system_variables "
    "variables_by_thread variables_info variables_metadata";

}  // namespace

bool is_shown_variable(std::string_view name) {
  static const WordList names(kShownVariables);
  return names.has(ascii_lower(name));
}

bool is_variable_table(std::string_view name) {
  static const WordList names(kTables);
  return names.has(ascii_lower(name));
}

}  // namespace helve::sql::mysql
