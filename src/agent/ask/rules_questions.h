// Questions that builtin:rules was made with, over the sample graph: of three levels, each with a
// query that answers it. They are no measure of it: that is what the bundled tasks are for.
#pragma once

#include <array>
#include <string_view>

namespace helve::agent {

struct RulesQuestion {
  unsigned level;
  std::string_view question;
  std::string_view reference;
};

inline constexpr std::array kRulesQuestions = std::to_array<RulesQuestion>({
    // A look-up.
    {1, "List all comets.", "SELECT ?x { ?x a sol:Comet }"},
    {1, "Which launch sites are there?", "SELECT ?x { ?x a sol:LaunchSite }"},
    {1, "What is the mean radius of Titan?", "SELECT ?r { body:Titan sol:meanRadius ?r }"},
    {1, "Who discovered Uranus?", "SELECT ?p { body:Uranus sol:discoveredBy ?p }"},
    {1, "When was Cassini launched?", "SELECT ?d { mission:Cassini sol:launchDate ?d }"},
    {1, "How many missions are there?",
     "SELECT (COUNT(DISTINCT ?x) AS ?n) { ?x a/rdfs:subClassOf* sol:Mission }"},
    {1, "How many astronomers are there?", "SELECT (COUNT(?x) AS ?n) { ?x a sol:Astronomer }"},
    {1, "What does Charon orbit?", "SELECT ?x { body:Charon sol:orbits ?x }"},
    {1, "Which moons orbit Mars?",
     "SELECT DISTINCT ?x { ?x sol:orbits body:Mars ; a/rdfs:subClassOf* sol:Moon }"},
    {1, "What is the status of New Horizons?", "SELECT ?s { mission:New-Horizons sol:status ?s }"},
    {1, "Which vehicle launched Galileo?", "SELECT ?v { mission:Galileo sol:launchVehicle ?v }"},
    {1, "What is the name of each planet?",
     R"(SELECT ?l { ?x a/rdfs:subClassOf* sol:Planet ; rdfs:label ?l FILTER(LANG(?l) = "en") })"},
    // Joins, filters, counts.
    {2, "How many moons does Neptune have?",
     "SELECT (COUNT(DISTINCT ?x) AS ?n) { ?x sol:orbits body:Neptune ; a/rdfs:subClassOf* sol:Moon "
     "}"},
    {2, "Which planets have rings?",
     "SELECT ?x { ?x a/rdfs:subClassOf* sol:Planet ; sol:hasRings true }"},
    {2, "Which missions were launched after 2018?",
     "SELECT DISTINCT ?x { ?x a/rdfs:subClassOf* sol:Mission ; sol:launchDate ?d "
     "FILTER(YEAR(?d) > 2018) }"},
    {2, "Which moons have a mean radius larger than 1000 km?",
     "SELECT DISTINCT ?x { ?x a/rdfs:subClassOf* sol:Moon ; sol:meanRadius ?r FILTER(?r > 1000) }"},
    {2, "Which moons were discovered by William Herschel?",
     "SELECT DISTINCT ?x { ?x a/rdfs:subClassOf* sol:Moon ; sol:discoveredBy "
     "person:WilliamHerschel }"},
    {2, "How many missions visited Venus?",
     "SELECT (COUNT(DISTINCT ?x) AS ?n) { ?x sol:visited body:Venus ; a/rdfs:subClassOf* "
     "sol:Mission }"},
    {2, "Which moon has the largest mean radius?",
     "SELECT ?x { ?x a/rdfs:subClassOf* sol:Moon ; sol:meanRadius ?r } ORDER BY DESC(?r) LIMIT 1"},
    {2, "Which missions carry a seismometer?",
     "SELECT DISTINCT ?x { ?x sol:carries ?i . ?i a/rdfs:subClassOf* sol:Seismometer }"},
    {2, "Which bodies did New Horizons visit?",
     "SELECT ?x { mission:New-Horizons sol:visited ?x }"},
    {2, "Which missions landed on Titan?", "SELECT ?x { ?x sol:landedOn body:Titan }"},
    {2, "Which planets have no magnetic field?",
     "SELECT ?x { ?x a/rdfs:subClassOf* sol:Planet FILTER NOT EXISTS { ?x sol:hasMagneticField "
     "true "
     "} }"},
    {2, "Which missions were launched from Vandenberg Space Force Base?",
     "SELECT DISTINCT ?x { ?x sol:launchedFrom site:Vandenberg }"},
    {2, "What are the moons of Pluto and their orbital period?",
     "SELECT DISTINCT ?x ?p { ?x sol:orbits body:Pluto ; sol:orbitalPeriod ?p }"},
    {2, "How many lost missions are there?",
     R"(SELECT (COUNT(DISTINCT ?x) AS ?n) { ?x sol:status "lost" ; a/rdfs:subClassOf* sol:Mission })"},
    // Several of these at once.
    {3, "How many moons does each planet have?",
     "SELECT ?p (COUNT(DISTINCT ?x) AS ?n) { ?x sol:orbits ?p ; a/rdfs:subClassOf* sol:Moon . ?p "
     "a/rdfs:subClassOf* sol:Planet } GROUP BY ?p"},
    {3, "Which planet has the most moons?",
     "SELECT ?p (COUNT(DISTINCT ?x) AS ?n) { ?x sol:orbits ?p ; a/rdfs:subClassOf* sol:Moon . ?p "
     "a/rdfs:subClassOf* sol:Planet } GROUP BY ?p ORDER BY DESC(?n) LIMIT 1"},
    {3, "Who discovered the most moons?",
     "SELECT ?p (COUNT(DISTINCT ?x) AS ?n) { ?x a/rdfs:subClassOf* sol:Moon ; sol:discoveredBy ?p "
     "} "
     "GROUP BY ?p ORDER BY DESC(?n) LIMIT 1"},
    {3, "Which planets have more than 10 moons?",
     "SELECT ?p { ?x sol:orbits ?p ; a/rdfs:subClassOf* sol:Moon . ?p a/rdfs:subClassOf* "
     "sol:Planet "
     "} GROUP BY ?p HAVING(COUNT(DISTINCT ?x) > 10)"},
    {3, "Which agencies operate missions that visited Saturn?",
     "SELECT DISTINCT ?a { ?m sol:visited body:Saturn ; sol:operatedBy ?a . ?a a/rdfs:subClassOf* "
     "sol:Agency }"},
    {3, "What is the average mean radius of the moons of Uranus?",
     "SELECT (AVG(?r) AS ?a) { SELECT DISTINCT ?x ?r { ?x sol:orbits body:Uranus ; sol:meanRadius "
     "?r "
     "} }"},
    {3, "Which 3 moons have the longest orbital period?",
     "SELECT ?x { ?x a/rdfs:subClassOf* sol:Moon ; sol:orbitalPeriod ?r } ORDER BY DESC(?r) LIMIT "
     "3"},
    {3, "Which moons of Saturn were discovered before 1800?",
     "SELECT DISTINCT ?x { ?x sol:orbits body:Saturn ; (sol:discoveryDate|sol:discoveryYear) ?d "
     "FILTER(xsd:integer(SUBSTR(STR(?d), 1, 4)) < 1800) }"},
    {3, "How many instruments does each mission of JAXA carry?",
     "SELECT ?m (COUNT(DISTINCT ?i) AS ?n) { ?m sol:operatedBy agency:JAXA ; sol:carries ?i } "
     "GROUP "
     "BY ?m"},
    {3, "Which planets are larger than Neptune?",
     "SELECT ?x { body:Neptune sol:meanRadius ?n . ?x a/rdfs:subClassOf* sol:Planet ; "
     "sol:meanRadius "
     "?r FILTER(?r > ?n) }"},
    {3, "Is Europa a moon of Jupiter?", "ASK { body:Europa sol:orbits body:Jupiter }"},
    {3, "Which launch vehicle launched the most missions?",
     "SELECT ?v (COUNT(DISTINCT ?m) AS ?n) { ?m sol:launchVehicle ?v } GROUP BY ?v ORDER BY "
     "DESC(?n) "
     "LIMIT 1"},
    // The same in other words.
    {1, "What is the mass of Jupiter?", "SELECT ?m { body:Jupiter sol:mass ?m }"},
    {1, "Show me the gas giants.", "SELECT ?x { ?x a sol:GasGiant }"},
    {1, "What was the launch date of Rosetta?", "SELECT ?d { mission:Rosetta sol:launchDate ?d }"},
    {1, "In which country is JAXA?", "SELECT ?c { agency:JAXA sol:country ?c }"},
    {1, "Who were the crew members of Apollo 11?",
     "SELECT ?x { mission:Apollo-11 sol:crewMember ?x }"},
    {1, "What is the orbital period of each planet?",
     "SELECT ?x ?v { ?x a/rdfs:subClassOf* sol:Planet ; sol:orbitalPeriod ?v }"},
    {2, "List the instruments carried by Voyager 2.",
     "SELECT DISTINCT ?x { ?x sol:carriedBy mission:Voyager-2 }"},
    {2, "How many instruments does Cassini carry?",
     "SELECT (COUNT(DISTINCT ?x) AS ?n) { ?x sol:carriedBy mission:Cassini }"},
    {2, "Which missions are operated by ESA?",
     "SELECT DISTINCT ?x { ?x sol:operatedBy agency:ESA }"},
    {2, "Which missions were launched in 1977?",
     "SELECT DISTINCT ?x { ?x sol:launchDate ?d FILTER(YEAR(?d) = 1977) }"},
    {2, "Which missions were launched between 1960 and 1962?",
     "SELECT DISTINCT ?x { ?x sol:launchDate ?d FILTER(YEAR(?d) >= 1960 && YEAR(?d) <= 1962) }"},
    {2, "Which moons have an atmosphere?",
     "SELECT DISTINCT ?x { ?x a/rdfs:subClassOf* sol:Moon ; sol:hasAtmosphere true }"},
    {2, "What are the five moons with the largest mean radius?",
     "SELECT ?x { ?x a/rdfs:subClassOf* sol:Moon ; sol:meanRadius ?r } ORDER BY DESC(?r) LIMIT 5"},
    {3, "Which missions visited both Jupiter and Saturn?",
     "SELECT DISTINCT ?x { ?x sol:visited body:Jupiter , body:Saturn }"},
    {3, "Which moon of Saturn has the shortest orbital period?",
     "SELECT ?x { ?x sol:orbits body:Saturn ; sol:orbitalPeriod ?r } ORDER BY ?r LIMIT 1"},
    {3, "Which bodies have been visited by more than 10 missions?",
     "SELECT ?x { ?m sol:visited ?x } GROUP BY ?x HAVING(COUNT(DISTINCT ?m) > 10)"},
    {3, "Which comets have not been visited by any mission?",
     "SELECT ?x { ?x a sol:Comet FILTER NOT EXISTS { ?m sol:visited ?x } }"},
    {3, "Which agency operated the most missions?",
     "SELECT ?a (COUNT(DISTINCT ?m) AS ?n) { ?m sol:operatedBy ?a } GROUP BY ?a ORDER BY DESC(?n) "
     "LIMIT 1"},
    {3, "Which moons of Jupiter have a subsurface ocean?",
     "SELECT DISTINCT ?x { ?x sol:orbits body:Jupiter ; sol:hasSubsurfaceOcean true }"},
    {3, "How many missions did each agency operate?",
     "SELECT ?a (COUNT(DISTINCT ?m) AS ?n) { ?m sol:operatedBy ?a . ?a a/rdfs:subClassOf* "
     "sol:Agency "
     "} GROUP BY ?a"},
    {3, "Which people discovered moons of Neptune?",
     "SELECT DISTINCT ?p { ?x sol:orbits body:Neptune ; sol:discoveredBy ?p }"},
});

}  // namespace helve::agent
