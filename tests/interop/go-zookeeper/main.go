// go-zookeeper's own lock, driven by lines on standard input: see ../peer.py.
package main

import (
	"bufio"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/go-zookeeper/zk"
)

const timeout = 4 * time.Second

type quiet struct{}

func (quiet) Printf(string, ...interface{}) {}

type contender struct {
	conn *zk.Conn
	lock *zk.Lock
}

func contend(hosts []string, path, name string) (*contender, error) {
	conn, _, err := zk.Connect(hosts, timeout, zk.WithLogger(quiet{}))
	if err != nil {
		return nil, err
	}
	c := &contender{conn, zk.NewLock(conn, path, zk.WorldACL(zk.PermAll))}
	go func() {
		if err := c.lock.LockWithData([]byte(name)); err != nil {
			fmt.Println("failed", name, err)
			return
		}
		fmt.Println("leads", name)
	}()
	return c, nil
}

func main() {
	hosts := strings.Split(os.Args[1], ",")
	contenders := map[string]*contender{}
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
		words := strings.Fields(lines.Text())
		switch words[0] {
		case "stand": // KIND PATH NAME
			c, err := contend(hosts, words[2], words[3])
			if err != nil {
				fmt.Println("failed", words[3], err)
				continue
			}
			contenders[words[3]] = c
		case "resign": // NAME
			if err := contenders[words[1]].lock.Unlock(); err != nil {
				fmt.Println("failed", words[1], err)
			}
		case "close": // NAME
			contenders[words[1]].conn.Close()
		}
	}
}
