// go-zookeeper's lock, and two elections that Go programs build on it, driven by lines on standard input: see
// ../peer.py.
package main

import (
	"bufio"
	"fmt"
	"os"
	"path"
	"sort"
	"strings"
	"sync"
	"time"

	"github.com/go-zookeeper/zk"
)

const timeout = 4 * time.Second

type quiet struct{}

func (quiet) Printf(string, ...interface{}) {}

type contender struct {
	conn   *zk.Conn
	resign func() error
}

var output sync.Mutex

func say(words ...interface{}) {
	output.Lock()
	defer output.Unlock()
	fmt.Println(words...)
}

func makePath(conn *zk.Conn, dir string) error {
	if dir == "/" {
		return nil
	}
	if err := makePath(conn, path.Dir(dir)); err != nil {
		return err
	}
	if _, err := conn.Create(dir, nil, 0, zk.WorldACL(zk.PermAll)); err != nil && err != zk.ErrNodeExists {
		return err
	}
	return nil
}

func lock(conn *zk.Conn, dir, name string) (func() error, error) {
	lock := zk.NewLock(conn, dir, zk.WorldACL(zk.PermAll))
	go func() {
		if err := lock.LockWithData([]byte(name)); err != nil {
			say("failed", dir, name, err)
			return
		}
		say("leads", dir, name)
	}()
	return lock.Unlock, nil
}

// sequence is what orders candidates: whatever stands before the last '_' is not part of it.
func sequence(name string) string { return name[strings.LastIndex(name, "_")+1:] }

// watch is one way of being told that a znode is gone: nil where it is gone already.
type watch func(conn *zk.Conn, path string) (<-chan zk.Event, error)

func watchExistence(conn *zk.Conn, path string) (<-chan zk.Event, error) {
	exists, _, gone, err := conn.ExistsW(path)
	if err == nil && !exists {
		gone = nil
	}
	return gone, err
}

func watchData(conn *zk.Conn, path string) (<-chan zk.Event, error) {
	_, _, gone, err := conn.GetW(path)
	if err == zk.ErrNoNode {
		return nil, nil
	}
	return gone, err
}

// await watches the predecessor of one candidate until there is none.
func await(conn *zk.Conn, dir, own string, watch watch, waiting func() error) error {
	for {
		children, _, err := conn.Children(dir)
		if err != nil {
			return err
		}
		sort.Slice(children, func(i, j int) bool { return sequence(children[i]) < sequence(children[j]) })
		at := sort.Search(len(children), func(i int) bool { return sequence(children[i]) >= sequence(own) })
		if at == len(children) || children[at] != own {
			return zk.ErrNoNode
		}
		if at == 0 {
			return nil
		}
		if err := waiting(); err != nil {
			return err
		}
		gone, err := watch(conn, dir+"/"+children[at-1])
		if err != nil {
			return err
		}
		if gone != nil {
			<-gone
		}
	}
}

// zkElection is the layout of the Go package of that name: a protected sequential znode, and a watch of the
// predecessor's data.
func zkElection(conn *zk.Conn, dir, name string) (func() error, error) {
	if err := makePath(conn, dir); err != nil {
		return nil, err
	}
	own, err := conn.CreateProtectedEphemeralSequential(dir+"/p_", nil, zk.WorldACL(zk.PermAll))
	if err != nil {
		return nil, err
	}
	go func() {
		if err := await(conn, dir, path.Base(own), watchData, func() error { return nil }); err != nil {
			say("failed", dir, name, err)
			return
		}
		say("leads", dir, name)
	}()
	return func() error { return conn.Delete(own, -1) }, nil
}

// registries are those of the course code: who waits is in the workers', who leads in the coordinators'. Everybody
// follows the children of the workers' registry.
type registries struct {
	conn             *zk.Conn
	workers, leaders string
	own              string
	url              []byte
	mutex            sync.Mutex
}

func (r *registries) move(to string) error {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	if path.Dir(r.own) == to {
		return nil
	}
	if r.own != "" {
		if err := r.conn.Delete(r.own, -1); err != nil && err != zk.ErrNoNode {
			return err
		}
	}
	own, err := r.conn.Create(to+"/n_", r.url, zk.FlagEphemeral|zk.FlagSequence, zk.WorldACL(zk.PermAll))
	r.own = own
	return err
}

func (r *registries) follow() {
	for {
		_, _, changed, err := r.conn.ChildrenW(r.workers)
		if err != nil {
			return
		}
		<-changed
	}
}

func course(conn *zk.Conn, dir, name string) (func() error, error) {
	above := path.Dir(dir)
	r := &registries{conn: conn, workers: above + "/workers_service_registry",
		leaders: above + "/coordinators_service_registry", url: []byte("http://" + name)}
	for _, each := range []string{dir, r.workers, r.leaders} {
		if err := makePath(conn, each); err != nil {
			return nil, err
		}
	}
	own, err := conn.Create(dir+"/c_", nil, zk.FlagEphemeral|zk.FlagSequence, zk.WorldACL(zk.PermAll))
	if err != nil {
		return nil, err
	}
	go r.follow()
	go func() {
		err := await(conn, dir, path.Base(own), watchExistence, func() error { return r.move(r.workers) })
		if err == nil {
			err = r.move(r.leaders)
		}
		if err != nil {
			say("failed", dir, name, err)
			return
		}
		say("leads", dir, name)
	}()
	return func() error {
		if err := conn.Delete(own, -1); err != nil {
			return err
		}
		return conn.Delete(r.own, -1)
	}, nil
}

var kinds = map[string]func(*zk.Conn, string, string) (func() error, error){
	"lock": lock, "zkelection": zkElection, "course": course,
}

func main() {
	hosts := strings.Split(os.Args[1], ",")
	contenders := map[string]*contender{}
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
		words := strings.Fields(lines.Text())
		dir, name := words[len(words)-2], words[len(words)-1]
		switch words[0] {
		case "stand": // KIND PATH NAME
			conn, _, err := zk.Connect(hosts, timeout, zk.WithLogger(quiet{}))
			if err == nil {
				c := &contender{conn: conn}
				c.resign, err = kinds[words[1]](conn, dir, name)
				contenders[dir+name] = c
			}
			if err != nil {
				say("failed", dir, name, err)
			}
		case "resign": // PATH NAME
			if err := contenders[dir+name].resign(); err != nil {
				say("failed", dir, name, err)
			}
		case "close": // PATH NAME
			contenders[dir+name].conn.Close()
		}
	}
}
