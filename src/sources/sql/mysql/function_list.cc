#include "sources/sql/mysql/function_list.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <vector>

#include "base/ascii.h"

namespace helve::sql::mysql {

namespace {

// Left out: what reads files (LOAD_FILE), takes locks (GET_LOCK and its family), moves sequences
// (NEXTVAL), waits (SLEEP, BENCHMARK, for replication), manages keys or the server, and the old
// spatial names that MySQL 8 leaves free for stored functions. LAST_INSERT_ID may stand without an
// argument only.
constexpr std::string_view kFunctions =
    "ABS ACOS ADDDATE ADDTIME ADD_MONTHS AES_DECRYPT AES_ENCRYPT ANY_VALUE ASCII ASIN ATAN ATAN2 "
    "AVG BIN BIN_TO_UUID BIT_AND BIT_COUNT BIT_LENGTH BIT_OR BIT_XOR CAST CEIL CEILING "
    "CHAR CHARACTER_LENGTH CHARSET CHAR_LENGTH CHR COALESCE COERCIBILITY COLLATION COLUMN_CHECK "
    "COLUMN_EXISTS COLUMN_GET COLUMN_JSON COLUMN_LIST COMPRESS CONCAT CONCAT_WS CONNECTION_ID "
    "CONV CONVERT CONVERT_TZ COS COT COUNT CRC32 CRC32C CUME_DIST CURDATE CURRENT_DATE "
    "CURRENT_ROLE CURRENT_TIME CURRENT_TIMESTAMP CURRENT_USER CURTIME DATABASE DATE DATEDIFF "
    "DATE_ADD DATE_FORMAT DATE_SUB DAY DAYNAME DAYOFMONTH DAYOFWEEK DAYOFYEAR DECODE "
    "DECODE_ORACLE DEFAULT DEGREES DENSE_RANK ELT ENCODE EXP EXPORT_SET EXTRACT EXTRACTVALUE "
    "FIELD FIND_IN_SET FIRST_VALUE FLOOR FORMAT FORMAT_BYTES FORMAT_PICO_TIME FOUND_ROWS "
    "FROM_BASE64 FROM_DAYS FROM_UNIXTIME GEOMETRYCOLLECTION GET_FORMAT GREATEST GROUPING "
    "GROUP_CONCAT GTID_SUBSET GTID_SUBTRACT HEX HOUR ICU_VERSION IF IFNULL INET6_ATON INET6_NTOA "
    "INET_ATON INET_NTOA INSERT INSTR INTERVAL ISNULL IS_IPV4 IS_IPV4_COMPAT IS_IPV4_MAPPED "
    "IS_IPV6 IS_UUID JSON_ARRAY JSON_ARRAYAGG JSON_ARRAY_APPEND JSON_ARRAY_INSERT JSON_COMPACT "
    "JSON_CONTAINS JSON_CONTAINS_PATH JSON_DEPTH JSON_DETAILED JSON_EQUALS JSON_EXISTS "
    "JSON_EXTRACT JSON_INSERT JSON_KEYS JSON_LENGTH JSON_LOOSE JSON_MERGE JSON_MERGE_PATCH "
    "JSON_MERGE_PRESERVE JSON_NORMALIZE JSON_OBJECT JSON_OBJECTAGG JSON_OVERLAPS JSON_PRETTY "
    "JSON_QUERY JSON_QUOTE JSON_REMOVE JSON_REPLACE JSON_SCHEMA_VALID "
    "JSON_SCHEMA_VALIDATION_REPORT JSON_SEARCH JSON_SET JSON_STORAGE_FREE JSON_STORAGE_SIZE "
    "JSON_TABLE JSON_TYPE JSON_UNQUOTE JSON_VALID JSON_VALUE LAG LAST_DAY LAST_INSERT_ID "
    "LAST_VALUE LCASE LEAD LEAST LEFT LENGTH LENGTHB LINESTRING LN LOCALTIME LOCALTIMESTAMP "
    "LOCATE LOG LOG10 LOG2 LOWER LPAD LTRIM MAKEDATE MAKETIME MAKE_SET MAX MBRCONTAINS "
    "MBRCOVEREDBY MBRCOVERS MBRDISJOINT MBREQUALS MBRINTERSECTS MBROVERLAPS MBRTOUCHES MBRWITHIN "
    "MD5 MEDIAN MICROSECOND MID MIN MINUTE MOD MONTH MONTHNAME MULTILINESTRING MULTIPOINT "
    "MULTIPOLYGON NAME_CONST NATURAL_SORT_KEY NOW NTH_VALUE NTILE NULLIF NVL NVL2 OCT "
    "OCTET_LENGTH ORD PERCENTILE_CONT PERCENTILE_DISC PERCENT_RANK PERIOD_ADD PERIOD_DIFF PI "
    "POINT POLYGON POSITION POW POWER QUARTER QUOTE RADIANS RAND RANDOM_BYTES RANK REGEXP_INSTR "
    "REGEXP_LIKE REGEXP_REPLACE REGEXP_SUBSTR REPEAT REPLACE REVERSE RIGHT ROUND ROWNUM "
    "ROW_COUNT ROW_NUMBER RPAD RTRIM SCHEMA SECOND SEC_TO_TIME SESSION_USER SFORMAT SHA SHA1 "
    "SHA2 SIGN SIN SOUNDEX SPACE SQRT STATEMENT_DIGEST STATEMENT_DIGEST_TEXT STD STDDEV "
    "STDDEV_POP STDDEV_SAMP STRCMP STR_TO_DATE ST_AREA ST_ASBINARY ST_ASGEOJSON ST_ASTEXT "
    "ST_ASWKB ST_ASWKT ST_BOUNDARY ST_BUFFER ST_BUFFER_STRATEGY ST_CENTROID ST_COLLECT "
    "ST_CONTAINS ST_CONVEXHULL ST_CROSSES ST_DIFFERENCE ST_DIMENSION ST_DISJOINT ST_DISTANCE "
    "ST_DISTANCE_SPHERE ST_ENDPOINT ST_ENVELOPE ST_EQUALS ST_EXTERIORRING ST_FRECHETDISTANCE "
    "ST_GEOHASH ST_GEOMCOLLFROMTEXT ST_GEOMCOLLFROMTXT ST_GEOMCOLLFROMWKB "
    "ST_GEOMETRYCOLLECTIONFROMTEXT ST_GEOMETRYCOLLECTIONFROMWKB ST_GEOMETRYFROMTEXT "
    "ST_GEOMETRYFROMWKB ST_GEOMETRYN ST_GEOMETRYTYPE ST_GEOMFROMGEOJSON ST_GEOMFROMTEXT "
    "ST_GEOMFROMWKB ST_HAUSDORFFDISTANCE ST_INTERIORRINGN ST_INTERSECTION ST_INTERSECTS "
    "ST_ISCLOSED ST_ISEMPTY ST_ISRING ST_ISSIMPLE ST_ISVALID ST_LATFROMGEOHASH ST_LATITUDE "
    "ST_LENGTH ST_LINEFROMTEXT ST_LINEFROMWKB ST_LINEINTERPOLATEPOINT ST_LINEINTERPOLATEPOINTS "
    "ST_LINESTRINGFROMTEXT ST_LINESTRINGFROMWKB ST_LONGFROMGEOHASH ST_LONGITUDE ST_MAKEENVELOPE "
    "ST_MLINEFROMTEXT ST_MLINEFROMWKB ST_MPOINTFROMTEXT ST_MPOINTFROMWKB ST_MPOLYFROMTEXT "
    "ST_MPOLYFROMWKB ST_NUMGEOMETRIES ST_NUMINTERIORRING ST_NUMINTERIORRINGS ST_NUMPOINTS "
    "ST_OVERLAPS ST_POINTATDISTANCE ST_POINTFROMGEOHASH ST_POINTFROMTEXT ST_POINTFROMWKB "
    "ST_POINTN ST_POINTONSURFACE ST_POLYFROMTEXT ST_POLYFROMWKB ST_POLYGONFROMTEXT "
    "ST_POLYGONFROMWKB ST_RELATE ST_SIMPLIFY ST_SRID ST_STARTPOINT ST_SWAPXY ST_SYMDIFFERENCE "
    "ST_TOUCHES ST_TRANSFORM ST_UNION ST_VALIDATE ST_WITHIN ST_X ST_Y SUBDATE SUBSTR SUBSTRING "
    "SUBSTRING_INDEX SUBTIME SUM SYSDATE SYSTEM_USER TAN TIME TIMEDIFF TIMESTAMP TIMESTAMPADD "
    "TIMESTAMPDIFF TIME_FORMAT TIME_TO_SEC TO_BASE64 TO_CHAR TO_DAYS TO_SECONDS TRIM TRIM_ORACLE "
    "TRUNCATE UCASE UNCOMPRESS UNCOMPRESSED_LENGTH UNHEX UNIX_TIMESTAMP UPDATEXML UPPER USER "
    "UTC_DATE UTC_TIME UTC_TIMESTAMP UUID UUID_SHORT UUID_TO_BIN VARIANCE VAR_POP VAR_SAMP "
    "VERSION WEEK WEEKDAY WEEKOFYEAR WEIGHT_STRING YEAR YEARWEEK";

// Keywords of both databases all of them, which no stored function can be called by.
constexpr std::string_view kSyntax =
    "AGAINST ALL AND ANY AS BETWEEN BIGINT BINARY BIT BLOB BOTH BY CASE CHARACTER COLUMNS "
    "DATETIME DEC DECIMAL DISTINCT DISTINCTROW DIV DOUBLE ELSE ENUM ESCAPE EXCEPT EXISTS FIXED "
    "FLOAT FOR FROM GROUP HAVING HIGH_PRIORITY IN INDEX INT INTEGER INTERSECT JOIN KEY LEADING "
    "LIKE LIMIT MATCH MEDIUMINT NCHAR NOT NUMERIC NVARCHAR OF OFFSET ON OR OVER PARTITION REAL "
    "REGEXP RLIKE ROW SELECT SMALLINT SOME SQL_BIG_RESULT SQL_BUFFER_RESULT SQL_CACHE "
    "SQL_CALC_FOUND_ROWS SQL_NO_CACHE SQL_SMALL_RESULT STRAIGHT_JOIN TEXT THEN TINYINT TO "
    "TRAILING UNION USING VALUES VARBINARY VARCHAR WHEN WHERE XOR";

std::vector<std::string_view> sorted_words(std::string_view list) {
  std::vector<std::string_view> words;
  while (!list.empty()) {
    const std::size_t end = std::min(list.find(' '), list.size());
    words.push_back(list.substr(0, end));
    list.remove_prefix(std::min(end + 1, list.size()));
  }
  std::sort(words.begin(), words.end());
  return words;
}

const std::vector<std::string_view>& syntax_words() {
  static const std::vector<std::string_view> list = sorted_words(kSyntax);
  return list;
}

bool is_ascii_byte(char c) { return static_cast<unsigned char>(c) < 0x80; }

// In capitals, with '?' for each character that is not ASCII: it may be a letter with an accent.
std::string as_pattern(std::string_view name) {
  std::string pattern;
  for (const char c : ascii_upper(name)) {
    const bool is_continuation = (static_cast<unsigned char>(c) & 0xC0U) == 0x80U;
    if (!is_continuation) pattern += is_ascii_byte(c) ? c : '?';
  }
  return pattern;
}

bool is_match(std::string_view pattern, std::string_view name) {
  return std::equal(pattern.begin(), pattern.end(), name.begin(), name.end(),
                    [](char wanted, char c) { return wanted == '?' || wanted == c; });
}

}  // namespace

const std::vector<std::string_view>& allowed_functions() {
  static const std::vector<std::string_view> list = sorted_words(kFunctions);
  return list;
}

bool is_allowed_function(std::string_view name) {
  return is_listed_name(allowed_functions(), name);
}

bool is_syntax_before_parenthesis(std::string_view word) {
  return is_listed_name(syntax_words(), word);
}

bool is_listed_name(const std::vector<std::string_view>& list, std::string_view name) {
  const std::string upper = ascii_upper(name);
  return std::binary_search(list.begin(), list.end(), std::string_view(upper));
}

bool may_be_same_name(std::string_view a, std::string_view b) {
  return as_pattern(a) == as_pattern(b);
}

std::vector<std::string_view> taken_names(const std::vector<std::string>& stored) {
  std::vector<std::string_view> taken;
  for (const auto* const list : {&allowed_functions(), &syntax_words()}) {
    for (const std::string& name : stored) {
      const std::string pattern = as_pattern(name);
      if (pattern.find('?') == std::string::npos) {
        const auto found = std::lower_bound(list->begin(), list->end(), std::string_view(pattern));
        if (found != list->end() && *found == pattern) taken.push_back(*found);
        continue;
      }
      std::copy_if(list->begin(), list->end(), std::back_inserter(taken),
                   [&](std::string_view one) { return is_match(pattern, one); });
    }
  }
  std::sort(taken.begin(), taken.end());
  taken.erase(std::unique(taken.begin(), taken.end()), taken.end());
  return taken;
}

}  // namespace helve::sql::mysql
