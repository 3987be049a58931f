// Profiles from descriptions of datasets: https://www.w3.org/TR/void/
#include <fmt/format.h>

#include "sources/rdf/document.h"
#include "sources/void_description.h"
#include "toolkit/guard/profile.h"

namespace helve::toolkit {

Result<GraphProfile> profile_from_void(const std::string& path, const OpContext& context,
                                       Env& env) {
  HELVE_ASSIGN(rdf::Document document, rdf::open_document(env, path, {}, context));
  VoidReader reader;
  HELVE_TRY(document.read({}, context, reader));
  VoidDescription told = reader.finish();
  if (!told.tells_sizes()) {
    return Error{ErrorCode::InvalidInput, fmt::format("\"{}\" tells of no sizes", path),
                 "a VoID description has void:triples, void:classPartition, "
                 "void:propertyPartition"};
  }
  GraphProfile profile;
  profile.name = path;
  profile.triples = told.triples;
  profile.subjects = told.subjects;
  profile.objects = told.objects;
  profile.class_instances = std::move(told.class_instances);
  profile.properties = std::move(told.properties);
  profile.graph_triples = std::move(told.graph_triples);
  return profile;
}

}  // namespace helve::toolkit
