import org.apache.solr.client.solrj.embedded.JettyConfig;
import org.apache.solr.client.solrj.embedded.JettySolrRunner;

/** A node of Solr, without the distribution's scripts: SolrNode HOME PORT. HOME has a solr.xml. */
public class SolrNode {
    public static void main(String[] arguments) throws Exception {
        JettySolrRunner node = new JettySolrRunner(arguments[0], JettyConfig.builder()
                .setPort(Integer.parseInt(arguments[1])).setContext("/solr").build());
        Runtime.getRuntime().addShutdownHook(new Thread(() -> {
            try {
                node.stop();
            } catch (Exception error) {
                error.printStackTrace();
            }
        }));
        node.start();
        Thread.currentThread().join();
    }
}
