#include "probe/demo/free_port.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

#define PORT_TRIES 200

static int port_bind(int port)
{
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return -1;
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t length = sizeof address;
    int bound = -1;
    if (bind(fd, (struct sockaddr *)&address, sizeof address) == 0 &&
        getsockname(fd, (struct sockaddr *)&address, &length) == 0)
        bound = ntohs(address.sin_port);
    close(fd);
    return bound;
}

int free_port(void)
{
    int lowest = 32768;
    FILE *range = fopen("/proc/sys/net/ipv4/ip_local_port_range", "r");
    if (range) {
        if (fscanf(range, "%d", &lowest) != 1)
            lowest = 32768;
        fclose(range);
    }
    enum { FIRST = 10240 };
    for (int i = 0; i < PORT_TRIES && lowest > FIRST + 1000; i++) {
        unsigned dice;
        if (getrandom(&dice, sizeof dice, 0) != (ssize_t)sizeof dice)
            break;
        int port = FIRST + (int)(dice % (unsigned)(lowest - FIRST));
        if (port_bind(port) == port)
            return port;
    }
    return port_bind(0);
}
