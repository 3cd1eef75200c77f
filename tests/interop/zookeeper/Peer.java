import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.ZooDefs;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.recipes.leader.LeaderElectionAware;
import org.apache.zookeeper.recipes.leader.LeaderElectionSupport;
import org.apache.zookeeper.recipes.lock.LockListener;
import org.apache.zookeeper.recipes.lock.WriteLock;

/** ZooKeeper's own recipes, driven by lines on standard input: see ../peer.py. */
public class Peer {
    private static final int TIMEOUT_MS = 4000;

    private static void make(ZooKeeper client, String path) throws Exception {
        for (int end = path.indexOf('/', 1); ; end = path.indexOf('/', end + 1)) {
            try {
                client.create(end < 0 ? path : path.substring(0, end), new byte[0], ZooDefs.Ids.OPEN_ACL_UNSAFE,
                              CreateMode.PERSISTENT);
            } catch (KeeperException.NodeExistsException e) {
                // Another one made it.
            }
            if (end < 0)
                return;
        }
    }

    private static Lines.Action election(ZooKeeper client, String path, String name) throws Exception {
        LeaderElectionSupport election = new LeaderElectionSupport();
        election.setZooKeeper(client);
        election.setRootNodeName(path);
        election.setHostName(name);
        election.addListener((LeaderElectionAware) event -> {
            if (event == LeaderElectionSupport.EventType.ELECTED_COMPLETE)
                Lines.say("leads", path, name);
        });
        election.start();
        return election::stop;
    }

    private static Lines.Action lock(ZooKeeper client, String path, String name) throws Exception {
        WriteLock lock = new WriteLock(client, path, null, new LockListener() {
            @Override
            public void lockAcquired() {
                Lines.say("leads", path, name);
            }

            @Override
            public void lockReleased() {
                Lines.say("lost", path, name);
            }
        });
        lock.lock();
        return lock::unlock;
    }

    public static void main(String[] args) throws Exception {
        Lines.obey((kind, path, name) -> {
            ZooKeeper client = new ZooKeeper(args[0], TIMEOUT_MS, event -> {});
            make(client, path);
            Lines.Action resign = kind.equals("lock") ? lock(client, path, name) : election(client, path, name);
            return new Lines.Contender(client::close, resign);
        });
    }
}
