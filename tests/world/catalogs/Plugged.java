import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.apache.spark.sql.connector.catalog.Identifier;
import org.apache.spark.sql.connector.catalog.NamespaceChange;
import org.apache.spark.sql.connector.catalog.SupportsNamespaces;
import org.apache.spark.sql.connector.catalog.Table;
import org.apache.spark.sql.connector.catalog.TableCapability;
import org.apache.spark.sql.connector.catalog.TableCatalog;
import org.apache.spark.sql.connector.catalog.TableChange;
import org.apache.spark.sql.connector.expressions.Expressions;
import org.apache.spark.sql.connector.expressions.Transform;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.util.CaseInsensitiveStringMap;

/** A catalog that is plugged into Spark: databases inside others, and every kind of partition. */
public class Plugged implements TableCatalog, SupportsNamespaces {
    private String name;

    public void initialize(String given, CaseInsensitiveStringMap options) { name = given; }

    public String name() { return name; }

    public Identifier[] listTables(String[] at) {
        return new Identifier[] {
            new Named(at, "broken"), new Named(at, "made"), new Named(at, "plain")
        };
    }

    public Table loadTable(Identifier one) {
        if (one.name().equals("broken")) {
            throw new RuntimeException("no access to https://user:hunter2@host/x");
        }
        return new Orders(one.name().equals("plain"));
    }

    public static class Named implements Identifier {
        private final String[] at;
        private final String name;

        public Named(String[] at, String name) {
            this.at = at;
            this.name = name;
        }

        public String[] namespace() { return at; }

        public String name() { return name; }
    }

    public static class Orders implements Table {
        private final boolean plain;

        public Orders(boolean plain) { this.plain = plain; }

        public String name() { return "orders"; }

        public StructType schema() {
            return new StructType()
                .add("id", DataTypes.LongType, false, "the number")
                .add("at", DataTypes.TimestampType)
                .add("in", new StructType().add("d`e", DataTypes.DateType))
                .add("n.m", DataTypes.StringType);
        }

        public Transform[] partitioning() {
            if (plain) {
                return new Transform[] {
                    Expressions.identity("`n.m`"), Expressions.identity("in.`d``e`")
                };
            }
            return new Transform[] {
                Expressions.bucket(4, new String[] {"id"}), Expressions.days("at"),
                Expressions.identity("`n.m`"), Expressions.hours("in.`d``e`"),
                Expressions.bucket(3, new String[] {"id", "at"})
            };
        }

        public Map properties() {
            Map said = new HashMap();
            said.put("provider", "iceberg");
            said.put("comment", "orders");
            said.put("location", "s3://key:hunter2@lake/orders");
            said.put("owner", "jane");
            said.put("team", "a, b=c");
            said.put("option.fanout", "1");
            said.put("api-key", "hunter2");
            said.put("current-snapshot-id", "3");
            return said;
        }

        public Set capabilities() {
            return new HashSet(Collections.singletonList(TableCapability.BATCH_READ));
        }
    }

    public Table createTable(Identifier a, StructType b, Transform[] c, Map d) { return null; }

    public Table alterTable(Identifier a, TableChange[] changes) { return null; }

    public boolean dropTable(Identifier one) { return false; }

    public void renameTable(Identifier from, Identifier to) { }

    public String[][] listNamespaces() {
        return new String[][] {{"a"}, {"information_schema"}};
    }

    public String[][] listNamespaces(String[] at) {
        if (at.length == 0) {
            return listNamespaces();
        }
        return at.length == 1 ? new String[][] {{at[0], "in.ner"}} : new String[0][];
    }

    public Map loadNamespaceMetadata(String[] at) { return new HashMap(); }

    public void createNamespace(String[] at, Map said) { }

    public void alterNamespace(String[] at, NamespaceChange[] changes) { }

    public boolean dropNamespace(String[] at, boolean cascade) { return false; }
}
