import org.apache.shardingsphere.elasticjob.api.JobConfiguration;
import org.apache.shardingsphere.elasticjob.lite.api.bootstrap.impl.ScheduleJobBootstrap;
import org.apache.shardingsphere.elasticjob.reg.zookeeper.ZookeeperConfiguration;
import org.apache.shardingsphere.elasticjob.reg.zookeeper.ZookeeperRegistryCenter;
import org.apache.shardingsphere.elasticjob.simple.job.SimpleJob;

/** An instance of one job of ElasticJob, which does nothing every five seconds: JobInstance ZOOKEEPER NAMESPACE JOB. */
public class JobInstance {
    public static void main(String[] arguments) throws Exception {
        ZookeeperConfiguration where = new ZookeeperConfiguration(arguments[0], arguments[1]);
        where.setSessionTimeoutMilliseconds(6000);
        ZookeeperRegistryCenter registry = new ZookeeperRegistryCenter(where);
        registry.init();
        SimpleJob job = context -> { };
        new ScheduleJobBootstrap(registry, job,
                JobConfiguration.newBuilder(arguments[2], 3).cron("0/5 * * * * ?").build()).schedule();
        Thread.currentThread().join();
    }
}
