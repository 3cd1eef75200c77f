import java.util.concurrent.CountDownLatch;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.framework.recipes.leader.LeaderLatch;
import org.apache.curator.framework.recipes.leader.LeaderLatchListener;
import org.apache.curator.framework.recipes.leader.LeaderSelector;
import org.apache.curator.framework.recipes.leader.LeaderSelectorListenerAdapter;
import org.apache.curator.framework.recipes.locks.InterProcessMutex;
import org.apache.curator.framework.recipes.locks.InterProcessReadWriteLock;
import org.apache.curator.framework.recipes.locks.InterProcessSemaphoreV2;
import org.apache.curator.framework.recipes.locks.Lease;
import org.apache.curator.retry.RetryForever;

/** Curator's own elections and locks, driven by lines on standard input: see ../peer.py. */
public class Peer {
    private static final int TIMEOUT_MS = 4000;

    /** What a thread holds between acquiring and releasing. */
    private interface Acquisition {
        Lines.Action acquire() throws Exception;
    }

    private static Lines.Action latch(CuratorFramework client, String path, String name) throws Exception {
        LeaderLatch latch = new LeaderLatch(client, path, name);
        latch.addListener(new LeaderLatchListener() {
            @Override
            public void isLeader() {
                Lines.say("leads", path, name);
            }

            @Override
            public void notLeader() {
                Lines.say("lost", path, name);
            }
        });
        latch.start();
        return latch::close;
    }

    private static Lines.Action selector(CuratorFramework client, String path, String name) {
        LeaderSelector selector = new LeaderSelector(client, path, new LeaderSelectorListenerAdapter() {
            @Override
            public void takeLeadership(CuratorFramework ignored) throws Exception {
                Lines.say("leads", path, name);
                new CountDownLatch(1).await();
            }
        });
        selector.setId(name);
        selector.autoRequeue(); // else a lost connection ends its part for good
        selector.start();
        return selector::close;
    }

    /** Curator's locks belong to threads: one thread acquires, holds and releases. */
    private static Lines.Action held(String path, String name, Acquisition acquisition) {
        CountDownLatch over = new CountDownLatch(1);
        Thread holder = new Thread(() -> {
            try {
                Lines.Action release = acquisition.acquire();
                Lines.say("leads", path, name);
                over.await();
                release.run();
            } catch (Exception e) {
                Lines.say("failed", path, name);
            }
        });
        holder.setDaemon(true);
        holder.start();
        return over::countDown;
    }

    private static Lines.Action mutex(InterProcessMutex mutex, String path, String name) {
        return held(path, name, () -> {
            mutex.acquire();
            return mutex::release;
        });
    }

    private static Lines.Action semaphore(CuratorFramework client, String path, String name) {
        return held(path, name, () -> {
            Lease lease = new InterProcessSemaphoreV2(client, path, 2).acquire();
            return lease::close;
        });
    }

    private static Lines.Action stand(CuratorFramework client, String kind, String path, String name) throws Exception {
        return switch (kind) {
            case "latch" -> latch(client, path, name);
            case "selector" -> selector(client, path, name);
            case "mutex" -> mutex(new InterProcessMutex(client, path), path, name);
            case "read" -> mutex(new InterProcessReadWriteLock(client, path, name.getBytes()).readLock(), path, name);
            case "write" -> mutex(new InterProcessReadWriteLock(client, path, name.getBytes()).writeLock(), path, name);
            case "semaphore" -> semaphore(client, path, name);
            default -> throw new IllegalArgumentException(kind);
        };
    }

    public static void main(String[] args) throws Exception {
        Lines.obey((kind, path, name) -> {
            CuratorFramework client =
                CuratorFrameworkFactory.newClient(args[0], TIMEOUT_MS, TIMEOUT_MS, new RetryForever(100));
            client.start();
            return new Lines.Contender(client::close, stand(client, kind, path, name));
        });
    }
}
