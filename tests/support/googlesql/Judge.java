import com.google.common.collect.ImmutableList;
import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonNull;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import com.google.gson.JsonPrimitive;
import com.google.zetasql.Analyzer;
import com.google.zetasql.AnalyzerOptions;
import com.google.zetasql.LanguageOptions;
import com.google.zetasql.PreparedQuery;
import com.google.zetasql.SimpleCatalog;
import com.google.zetasql.SimpleColumn;
import com.google.zetasql.SimpleTable;
import com.google.zetasql.StructType;
import com.google.zetasql.TableContent;
import com.google.zetasql.Type;
import com.google.zetasql.TypeFactory;
import com.google.zetasql.Value;
import com.google.zetasql.ZetaSQLBuiltinFunctionOptions;
import com.google.zetasql.ZetaSQLOptions.LanguageFeature;
import com.google.zetasql.ZetaSQLOptions.ProductMode;
import com.google.zetasql.ZetaSQLType.TypeKind;
import com.google.zetasql.resolvedast.ResolvedNodes.ResolvedColumnDefinition;
import com.google.zetasql.resolvedast.ResolvedNodes.ResolvedCreateTableStmt;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Runs statements as BigQuery means them, by GoogleSQL's reference implementation.
 *
 * <p>Reads one JSON object a line, and answers each with one:
 *
 * <ul>
 *   <li>{"table": name, "columns": [...], "rows": [[...]]} makes a table; columns are those of
 *       BigQuery's REST API (name, type, mode, fields).
 *   <li>{"analyze": statement} says whether it can be run.
 *   <li>{"run": statement, "parameters": [...]} runs it; parameters are those of the REST API.
 *   <li>{"drop": true} forgets the tables that statements made.
 * </ul>
 *
 * <p>Of CREATE TABLE AS and INSERT the query behind the head is run, and its rows are kept here.
 */
public final class Judge {
  private static final Set<LanguageFeature> UNLIKE_BIGQUERY =
      Set.of(LanguageFeature.FEATURE_TIMESTAMP_NANOS, LanguageFeature.FEATURE_TIMESTAMP_PICO_TYPE);
  private static final Pattern HEAD =
      Pattern.compile(
          "\\s*(?:CREATE OR REPLACE TEMP TABLE `?(?<made>\\w+)`?\\s+AS\\s"
              + "|INSERT INTO `?(?<filled>\\w+)`? \\((?<columns>[^)]*)\\)\\s)(?<query>.*)",
          Pattern.DOTALL);

  /** A table and what it holds. */
  private record Held(SimpleTable table, List<List<Value>> rows, boolean isTemporary) {}

  private final LanguageOptions language = new LanguageOptions();
  private final SimpleCatalog catalog;
  private final Map<String, Held> tables = new HashMap<>();

  private Judge() {
    language.enableMaximumLanguageFeatures();
    language.setProductMode(ProductMode.PRODUCT_EXTERNAL);
    language.setSupportsAllStatementKinds();
    Set<LanguageFeature> features =
        new HashSet<>(language.serialize().getEnabledLanguageFeaturesList());
    features.removeAll(UNLIKE_BIGQUERY);
    language.setEnabledLanguageFeatures(features);
    catalog = new SimpleCatalog("bigquery");
    catalog.addZetaSQLFunctionsAndTypes(new ZetaSQLBuiltinFunctionOptions(language));
  }

  public static void main(String[] arguments) throws Exception {
    Judge judge = new Judge();
    PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
    BufferedReader lines =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String line = lines.readLine(); line != null; line = lines.readLine()) {
      JsonObject answer;
      try {
        answer = judge.answer(JsonParser.parseString(line).getAsJsonObject());
      } catch (RuntimeException refused) {
        answer = new JsonObject();
        answer.addProperty("error", String.valueOf(refused.getMessage()));
      }
      out.println(answer);
    }
    // The reference implementation's threads would keep the process.
    System.exit(0);
  }

  private JsonObject answer(JsonObject asked) {
    if (asked.has("table")) {
      fill(asked);
    } else if (asked.has("analyze")) {
      prepared(asked.get("analyze").getAsString(), options()).close();
    } else if (asked.has("drop")) {
      List.copyOf(tables.keySet()).stream()
          .filter(name -> tables.get(name).isTemporary())
          .forEach(this::drop);
    } else {
      return run(asked.get("run").getAsString(), asked.getAsJsonArray("parameters"));
    }
    return new JsonObject();
  }

  private void fill(JsonObject asked) {
    List<SimpleColumn> columns = new ArrayList<>();
    for (JsonElement column : asked.getAsJsonArray("columns")) {
      String name = column.getAsJsonObject().get("name").getAsString();
      columns.add(new SimpleColumn("", name, columnType(column.getAsJsonObject())));
    }
    List<List<Value>> rows = new ArrayList<>();
    for (JsonElement row : asked.getAsJsonArray("rows")) {
      List<Value> values = new ArrayList<>();
      for (int at = 0; at < columns.size(); at++) {
        values.add(value(columns.get(at).getType(), row.getAsJsonArray().get(at)));
      }
      rows.add(values);
    }
    hold(asked.get("table").getAsString(), columns, rows, false);
  }

  private AnalyzerOptions options() {
    AnalyzerOptions options = new AnalyzerOptions();
    options.setLanguageOptions(language);
    return options;
  }

  private PreparedQuery prepared(String query, AnalyzerOptions options) {
    Map<String, TableContent> contents = new LinkedHashMap<>();
    for (List<String> path : Analyzer.extractTableNamesFromStatement(query, options)) {
      String name = String.join(".", path);
      contents.put(name, TableContent.create(held(name).rows()));
    }
    return PreparedQuery.builder()
        .setSql(query)
        .setAnalyzerOptions(options)
        .setCatalog(catalog)
        .setTablesContents(contents)
        .prepare();
  }

  private void create(ResolvedCreateTableStmt made) {
    List<SimpleColumn> columns = new ArrayList<>();
    for (ResolvedColumnDefinition column : made.getColumnDefinitionList()) {
      columns.add(new SimpleColumn("", column.getName(), column.getType()));
    }
    hold(made.getNamePath().get(0), columns, List.of(), true);
  }

  private JsonObject run(String statement, JsonArray parameters) {
    AnalyzerOptions options = options();
    Map<String, Value> given = new HashMap<>();
    for (JsonElement parameter : parameters) {
      JsonObject one = parameter.getAsJsonObject();
      Type type = parameterType(one.getAsJsonObject("parameterType"));
      String name = one.get("name").getAsString();
      options.addQueryParameter(name, type);
      given.put(name, parameterValue(type, one.getAsJsonObject("parameterValue")));
    }
    Matcher head = HEAD.matcher(statement);
    boolean isKept = head.matches();
    if (!isKept && statement.startsWith("CREATE ")) {
      create((ResolvedCreateTableStmt) Analyzer.analyzeStatement(statement, options, catalog));
      return new JsonObject();
    }
    try (PreparedQuery prepared = prepared(isKept ? head.group("query") : statement, options)) {
      List<SimpleColumn> columns = prepared.getColumns();
      List<ImmutableList<Value>> rows = prepared.execute(given).getTableData();
      if (!isKept) {
        return shown(columns, rows);
      }
      if (head.group("made") != null) {
        hold(head.group("made"), columns, rows, true);
      } else {
        append(held(head.group("filled")), head.group("columns").split(","), columns, rows);
      }
      return new JsonObject();
    }
  }

  private static void append(
      Held held, String[] names, List<SimpleColumn> columns, List<ImmutableList<Value>> rows) {
    SimpleTable table = held.table();
    int[] places = new int[table.getColumnCount()];
    for (int at = 0; at < places.length; at++) {
      String name = table.getColumn(at).getName();
      places[at] = -1;
      for (int place = 0; place < names.length; place++) {
        if (names[place].replace("`", "").strip().equalsIgnoreCase(name)) {
          places[at] = place;
        }
      }
      Type wanted = table.getColumn(at).getType();
      if (places[at] < 0 || !columns.get(places[at]).getType().equals(wanted)) {
        throw new IllegalArgumentException("INSERT does not fill " + name + " with its own type");
      }
    }
    for (List<Value> row : rows) {
      List<Value> values = new ArrayList<>();
      for (int place : places) {
        values.add(row.get(place));
      }
      held.rows().add(values);
    }
  }

  private Held held(String name) {
    Held found = tables.get(name.toLowerCase(Locale.ROOT));
    if (found == null) {
      throw new IllegalArgumentException("no table " + name);
    }
    return found;
  }

  private void hold(
      String name, List<SimpleColumn> columns, List<? extends List<Value>> rows, boolean isTemporary) {
    drop(name.toLowerCase(Locale.ROOT));
    SimpleTable table = new SimpleTable(name);
    for (SimpleColumn column : columns) {
      table.addSimpleColumn(column.getName(), column.getType());
    }
    catalog.addSimpleTable(table);
    tables.put(name.toLowerCase(Locale.ROOT), new Held(table, new ArrayList<>(rows), isTemporary));
  }

  private void drop(String name) {
    Held old = tables.remove(name);
    if (old != null) {
      catalog.removeSimpleTable(old.table());
    }
  }

  private static Type columnType(JsonObject column) {
    String name = column.get("type").getAsString();
    Type type =
        Set.of("RECORD", "STRUCT").contains(name)
            ? struct(column.getAsJsonArray("fields"), Judge::columnType)
            : scalar(name);
    boolean isRepeated = column.has("mode") && column.get("mode").getAsString().equals("REPEATED");
    return isRepeated ? TypeFactory.createArrayType(type) : type;
  }

  private static Type struct(JsonArray fields, java.util.function.Function<JsonObject, Type> typed) {
    List<StructType.StructField> made = new ArrayList<>();
    for (JsonElement field : fields) {
      JsonObject one = field.getAsJsonObject();
      made.add(new StructType.StructField(one.get("name").getAsString(), typed.apply(one)));
    }
    return TypeFactory.createStructType(made);
  }

  private static Type parameterType(JsonObject type) {
    switch (type.get("type").getAsString()) {
      case "ARRAY":
        return TypeFactory.createArrayType(parameterType(type.getAsJsonObject("arrayType")));
      case "STRUCT":
        return struct(
            type.getAsJsonArray("structTypes"), one -> parameterType(one.getAsJsonObject("type")));
      default:
        return scalar(type.get("type").getAsString());
    }
  }

  private static Type scalar(String name) {
    TypeKind kind =
        switch (name) {
          case "STRING" -> TypeKind.TYPE_STRING;
          case "INTEGER", "INT64" -> TypeKind.TYPE_INT64;
          case "FLOAT", "FLOAT64" -> TypeKind.TYPE_DOUBLE;
          case "BOOLEAN", "BOOL" -> TypeKind.TYPE_BOOL;
          case "TIMESTAMP" -> TypeKind.TYPE_TIMESTAMP;
          case "JSON" -> TypeKind.TYPE_JSON;
          default -> throw new IllegalArgumentException("no type " + name);
        };
    return TypeFactory.createSimpleType(kind);
  }

  private static Value parameterValue(Type type, JsonObject given) {
    if (type.isArray()) {
      List<Value> values = new ArrayList<>();
      for (JsonElement one : given.getAsJsonArray("arrayValues")) {
        values.add(parameterValue(type.asArray().getElementType(), one.getAsJsonObject()));
      }
      return Value.createArrayValue(type.asArray(), values);
    }
    if (type.isStruct()) {
      List<Value> values = new ArrayList<>();
      JsonObject inner = given.getAsJsonObject("structValues");
      for (StructType.StructField field : type.asStruct().getFieldList()) {
        values.add(parameterValue(field.getType(), inner.getAsJsonObject(field.getName())));
      }
      return Value.createStructValue(type.asStruct(), values);
    }
    return value(type, given.get("value"));
  }

  private static Value value(Type type, JsonElement given) {
    if (given == null || given.isJsonNull()) {
      return Value.createNullValue(type);
    }
    if (type.isArray()) {
      List<Value> values = new ArrayList<>();
      for (JsonElement one : given.getAsJsonArray()) {
        values.add(value(type.asArray().getElementType(), one));
      }
      return Value.createArrayValue(type.asArray(), values);
    }
    if (type.isStruct()) {
      List<Value> values = new ArrayList<>();
      for (StructType.StructField field : type.asStruct().getFieldList()) {
        values.add(value(field.getType(), given.getAsJsonObject().get(field.getName())));
      }
      return Value.createStructValue(type.asStruct(), values);
    }
    return switch (type.getKind()) {
      case TYPE_STRING -> Value.createStringValue(given.getAsString());
      case TYPE_INT64 -> Value.createInt64Value(given.getAsLong());
      case TYPE_DOUBLE -> Value.createDoubleValue(given.getAsDouble());
      case TYPE_BOOL -> Value.createBoolValue(given.getAsBoolean());
      case TYPE_TIMESTAMP -> Value.createTimestampValueFromUnixMicros(given.getAsLong());
      case TYPE_JSON -> Value.createJsonValue(given.toString());
      default -> throw new IllegalArgumentException("no value of type " + type);
    };
  }

  private static JsonObject shown(List<SimpleColumn> columns, List<ImmutableList<Value>> rows) {
    JsonArray names = new JsonArray();
    columns.forEach(column -> names.add(column.getName()));
    JsonArray table = new JsonArray();
    for (List<Value> row : rows) {
      JsonArray values = new JsonArray();
      row.forEach(value -> values.add(shown(value)));
      table.add(values);
    }
    JsonObject answer = new JsonObject();
    answer.add("names", names);
    answer.add("rows", table);
    return answer;
  }

  private static JsonElement shown(Value value) {
    if (value.isNull()) {
      return JsonNull.INSTANCE;
    }
    return switch (value.getType().getKind()) {
      case TYPE_STRING -> new JsonPrimitive(value.getStringValue());
      case TYPE_INT64 -> new JsonPrimitive(value.getInt64Value());
      case TYPE_DOUBLE -> new JsonPrimitive(value.getDoubleValue());
      case TYPE_BOOL -> new JsonPrimitive(value.getBoolValue());
      default -> throw new IllegalArgumentException("no answer of type " + value.getType());
    };
  }
}
