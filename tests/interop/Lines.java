import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.util.HashMap;
import java.util.Map;

/** What every Java program here shares: the lines that it obeys, and those that it says. See peer.py. */
public final class Lines {
    /** Something that a contender does when it is told to. */
    public interface Action {
        void run() throws Exception;
    }

    /** Begins to contend. */
    public interface Stand {
        Contender stand(String kind, String path, String name) throws Exception;
    }

    public record Contender(Action close, Action resign) {}

    private Lines() {}

    public static synchronized void say(String word, String path, String name) {
        System.out.println(word + " " + path + " " + name);
        System.out.flush();
    }

    public static void obey(Stand stand) throws Exception {
        Map<String, Contender> contenders = new HashMap<>();
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
        for (String line; (line = in.readLine()) != null; ) {
            String[] words = line.split(" ");
            String path = words[words.length - 2], name = words[words.length - 1];
            try {
                switch (words[0]) {
                    case "stand" -> contenders.put(path + name, stand.stand(words[1], path, name));
                    case "resign" -> contenders.get(path + name).resign().run();
                    case "close" -> contenders.get(path + name).close().run();
                }
            } catch (Exception e) {
                e.printStackTrace();
                say("failed", path, name);
            }
        }
        System.exit(0); // a library's own threads would go on
    }
}
