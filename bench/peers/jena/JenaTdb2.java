// Apache Jena's TDB2 on disk, in this process: see ../protocol.py for the calls.
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import org.apache.jena.Jena;
import org.apache.jena.graph.Node;
import org.apache.jena.query.Query;
import org.apache.jena.query.QueryCancelledException;
import org.apache.jena.query.QueryFactory;
import org.apache.jena.riot.out.NodeFmtLib;
import org.apache.jena.sparql.core.DatasetGraph;
import org.apache.jena.sparql.core.Var;
import org.apache.jena.sparql.engine.binding.Binding;
import org.apache.jena.sparql.exec.QueryExec;
import org.apache.jena.sparql.exec.RowSet;
import org.apache.jena.system.Txn;
import org.apache.jena.tdb2.DatabaseMgr;
import org.apache.jena.tdb2.loader.DataLoader;
import org.apache.jena.tdb2.loader.LoaderFactory;
import org.apache.jena.tdb2.loader.base.LoaderOps;
import org.apache.jena.tdb2.solver.stats.Stats;

public final class JenaTdb2 {
  // As in protocol.py.
  private static final double ENOUGH_SECONDS = 20;
  private static final double SHORT_SECONDS = 0.1;
  private static final int SHORT_ROUNDS = 20;

  // Takes the terms of a row as N-Triples, or only decodes them.
  private interface Row {
    void take(List<Node> terms) throws Exception;
  }

  public static void main(String[] arguments) throws Exception {
    if (arguments.length == 3 && arguments[0].equals("load")) {
      load(arguments[1], Path.of(arguments[2]));
    } else if (arguments.length > 4 && arguments[0].equals("query")) {
      query(arguments);
    } else {
      System.err.println("usage: JenaTdb2 load DATA FOLDER | query FOLDER ROUNDS LIMIT QUERY...");
      System.exit(2);
    }
  }

  private static void load(String data, Path folder) throws Exception {
    if (Files.exists(folder)) {
      try (var inside = Files.walk(folder)) {
        for (Path path : inside.sorted(Comparator.reverseOrder()).toList()) Files.delete(path);
      }
    }
    Files.createDirectories(folder);
    long started = System.nanoTime();
    DatasetGraph store = DatabaseMgr.connectDatasetGraph(folder.toString());
    DataLoader loader = LoaderFactory.parallelLoader(store, LoaderOps.outputToLog());
    loader.startBulk();
    loader.load(data);
    loader.finishBulk();
    double seconds = since(started);
    long triples = Txn.calculateRead(store, () -> store.getDefaultGraph().stream().count());
    event("loaded", String.format(Locale.ROOT, "\"seconds\": %.9f, \"triples\": %d, \"version\": \"%s\"", seconds,
        triples, Jena.VERSION));
    // Its optimizer orders joins by these where they exist.
    Txn.executeRead(store, () -> Stats.write(folder.resolve("Data-0001/stats.opt").toString(),
        Stats.gather(store.getDefaultGraph()).results()));
    store.close();
  }

  private static void query(String[] arguments) throws Exception {
    long started = System.nanoTime();
    DatasetGraph store = DatabaseMgr.connectDatasetGraph(arguments[1]);
    event("open", String.format(Locale.ROOT, "\"seconds\": %.9f, \"version\": \"%s\"", since(started), Jena.VERSION));
    int rounds = Integer.parseInt(arguments[2]);
    long limit = Long.parseLong(arguments[3]);
    for (String file : Arrays.copyOfRange(arguments, 4, arguments.length)) {
      String name = Path.of(file).getFileName().toString().replaceFirst("\\.rq$", "");
      try {
        answer(store, name, Files.readString(Path.of(file)), rounds, limit);
      } catch (QueryCancelledException tooLong) {
        event("failed", "\"query\": \"" + name + "\", \"message\": \"timeout\"");
      } catch (Exception error) {
        String message = String.valueOf(error.getMessage()).lines().findFirst().orElse("").replaceAll("[\"\\\\]", "'");
        event("failed", "\"query\": \"" + name + "\", \"message\": \"" + message + "\"");
      }
    }
    System.exit(0);
  }

  private static void answer(DatasetGraph store, String name, String text, int rounds, long limit) throws Exception {
    double total = 0;
    for (int round = 0; round < rounds * SHORT_ROUNDS; ++round) {
      if (total > (round < rounds ? ENOUGH_SECONDS : SHORT_SECONDS)) break;
      long[] length = {0};
      long started = System.nanoTime();
      run(store, text, limit, terms -> {
        for (Node term : terms) length[0] += term == null ? 0 : term.hashCode();
      });
      double seconds = since(started);
      total += seconds;
      event("run", String.format(Locale.ROOT, "\"query\": \"%s\", \"seconds\": %.9f", name, seconds));
    }
    MessageDigest md5 = MessageDigest.getInstance("MD5");
    long[] sum = {0, 0};
    run(store, text, limit, terms -> {
      List<String> texts = new ArrayList<>();
      for (Node term : terms) texts.add(term == null ? "" : NodeFmtLib.strNT(term));
      byte[] bytes = md5.digest(String.join("\t", texts).getBytes(StandardCharsets.UTF_8));
      sum[0] += new BigInteger(1, Arrays.copyOf(bytes, 8)).longValue();
      ++sum[1];
    });
    event("answer", String.format(Locale.ROOT, "\"query\": \"%s\", \"rows\": %d, \"digest\": \"%016x\"", name, sum[1],
        sum[0]));
  }

  private static void run(DatasetGraph store, String text, long limit, Row row) {
    Txn.executeRead(store, () -> {
      Query query = QueryFactory.create(text);
      try (QueryExec execution = QueryExec.dataset(store).query(query).timeout(limit, TimeUnit.SECONDS).build()) {
        RowSet rows = execution.select();
        List<Var> variables = rows.getResultVars();
        List<Node> terms = new ArrayList<>();
        while (rows.hasNext()) {
          Binding binding = rows.next();
          terms.clear();
          for (Var variable : variables) terms.add(binding.get(variable));
          row.take(terms);
        }
      } catch (RuntimeException error) {
        throw error;
      } catch (Exception error) {
        throw new IllegalStateException(error);
      }
    });
  }

  private static double since(long started) {
    return (System.nanoTime() - started) / 1e9;
  }

  private static void event(String kind, String members) {
    System.out.println("{\"event\": \"" + kind + "\", " + members + "}");
    System.out.flush();
  }
}
