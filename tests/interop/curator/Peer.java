import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.framework.recipes.leader.LeaderLatch;
import org.apache.curator.framework.recipes.leader.LeaderLatchListener;
import org.apache.curator.framework.recipes.leader.LeaderSelector;
import org.apache.curator.framework.recipes.leader.LeaderSelectorListenerAdapter;
import org.apache.curator.framework.recipes.locks.InterProcessMutex;
import org.apache.curator.retry.RetryForever;

/** Curator's own elections and locks, driven by lines on standard input: see ../peer.py. */
public class Peer {
    private static final int TIMEOUT_MS = 4000;

    interface Resignation {
        void run() throws Exception;
    }

    private record Contender(CuratorFramework client, Resignation resignation) {}

    private static synchronized void say(String word, String name) {
        System.out.println(word + " " + name);
        System.out.flush();
    }

    private static Resignation latch(CuratorFramework client, String path, String name) throws Exception {
        LeaderLatch latch = new LeaderLatch(client, path, name);
        latch.addListener(new LeaderLatchListener() {
            @Override
            public void isLeader() {
                say("leads", name);
            }

            @Override
            public void notLeader() {
                say("lost", name);
            }
        });
        latch.start();
        return latch::close;
    }

    private static Resignation selector(CuratorFramework client, String path, String name) {
        LeaderSelector selector = new LeaderSelector(client, path, new LeaderSelectorListenerAdapter() {
            @Override
            public void takeLeadership(CuratorFramework ignored) throws Exception {
                say("leads", name);
                new CountDownLatch(1).await();
            }
        });
        selector.setId(name);
        selector.start();
        return selector::close;
    }

    private static Resignation mutex(CuratorFramework client, String path, String name) {
        InterProcessMutex mutex = new InterProcessMutex(client, path);
        CountDownLatch over = new CountDownLatch(1);
        Thread holder = new Thread(() -> {
            try {
                mutex.acquire();
                say("leads", name);
                over.await();
                mutex.release();
            } catch (Exception e) {
                say("failed", name);
            }
        });
        holder.setDaemon(true);
        holder.start();
        return over::countDown;
    }

    private static Contender stand(String hosts, String kind, String path, String name) throws Exception {
        CuratorFramework client = CuratorFrameworkFactory.newClient(hosts, TIMEOUT_MS, TIMEOUT_MS, new RetryForever(100));
        client.start();
        return new Contender(client, switch (kind) {
            case "latch" -> latch(client, path, name);
            case "selector" -> selector(client, path, name);
            default -> mutex(client, path, name);
        });
    }

    public static void main(String[] args) throws Exception {
        Map<String, Contender> contenders = new HashMap<>();
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
        for (String line; (line = in.readLine()) != null; ) {
            String[] words = line.split(" ");
            switch (words[0]) {
                case "stand" -> contenders.put(words[3], stand(args[0], words[1], words[2], words[3]));
                case "resign" -> contenders.get(words[1]).resignation().run();
                case "close" -> contenders.get(words[1]).client().close();
            }
        }
        System.exit(0); // Curator's own threads would go on
    }
}
