/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Fake nodes; see packet_peer.h.
 */
#include "packet_peer.h"

#include <string.h>

#include "base/fsh_spec.h"

enum { QUEUE = 256, CHANNELS = 4, BOUND_GAP = 100 };

/* A port: packets to send, and the account of the link's credits. */
struct port {
    struct peer_packet queue[QUEUE];
    uint32_t head, tail, at, wait;
    bool warned; /* the boundary beat with poison is out */
    uint16_t sent[CHANNELS], granted[CHANNELS];
    uint16_t got[CHANNELS], told[CHANNELS]; /* beats, boundary beats aside */
    uint32_t follow, channel;               /* of the packet that comes in */
    uint32_t since;                         /* beats since a boundary beat */
};
struct player {
    const struct fsh_node *node;
    struct fsh_node_io *io;
    bool played;
    uint64_t draw;
    struct port port[FSH_NODE_PORTS];
};
static struct player players[FSH_MAX_NODES];

uint32_t peer_beats(const uint64_t header[2])
{
    uint32_t bytes = (uint32_t)fsh_hdr_bytes(header);
    uint32_t lane = (uint32_t)fsh_hdr_addr(header) % FSH_BEAT_BYTES;
    uint32_t args = ((uint32_t)fsh_hdr_nargs(header) + 3) / 4 % 8;

    return 1 + ((fsh_hdr_first(header) ? args : 0) +
                (bytes ? (lane + bytes + 15) / 16 % 128 : 0)) %
                   128;
}

void peer_begin(void)
{
    memset(players, 0, sizeof players);
}

void peer_play(uint32_t node)
{
    players[node].played = true;
    players[node].draw = node + 1;
    players[node].io->out.awready = players[node].io->out.wready = 1;
}

bool peer_send(uint32_t node, uint32_t port, const struct peer_packet *packet)
{
    struct port *p = &players[node].port[port];

    if (p->tail - p->head == QUEUE)
        return false;
    p->queue[p->tail % QUEUE] = *packet;
    if (p->tail++ == p->head)
        p->wait = packet->before;
    return true;
}

bool peer_done(uint32_t node)
{
    for (uint32_t p = 0; p < FSH_NODE_PORTS; p++)
        if (players[node].port[p].head != players[node].port[p].tail)
            return false;
    return true;
}

static uint32_t channel_of(const uint64_t header[2])
{
    return (uint32_t)(fsh_hdr_reply(header) << 1 | fsh_hdr_vc(header));
}

/* What the neighbour sent: credits, or a beat of a packet. */
static void take(struct port *p, const struct fsh_link_beat *beat)
{
    if (beat->bound) {
        p->granted[0] = (uint16_t)fsh_bound_credit0(beat->data);
        p->granted[1] = (uint16_t)fsh_bound_credit1(beat->data);
        p->granted[2] = (uint16_t)fsh_bound_credit2(beat->data);
        p->granted[3] = (uint16_t)fsh_bound_credit3(beat->data);
        return;
    }
    if (p->follow == 0) {
        p->channel = channel_of(beat->data);
        p->follow = peer_beats(beat->data);
    }
    p->follow--;
    p->got[p->channel]++;
}

static void boundary(struct port *p, struct fsh_link_beat *beat, bool poison)
{
    uint64_t data[2] = {0};

    fsh_bound_set_credit0(data, p->got[0]);
    fsh_bound_set_credit1(data, p->got[1]);
    fsh_bound_set_credit2(data, p->got[2]);
    fsh_bound_set_credit3(data, p->got[3]);
    fsh_bound_set_poison(data, poison);
    memcpy(p->told, p->got, sizeof p->told);
    p->since = 0;
    beat->valid = beat->bound = 1;
    memcpy(beat->data, data, sizeof data);
}

static bool owes(const struct port *p)
{
    return memcmp(p->told, p->got, sizeof p->told) != 0;
}

/* May the packet in front go on in this cycle? */
static bool goes(struct player *player, struct port *p,
                 const struct peer_packet *packet)
{
    uint32_t channel = channel_of(packet->beat[0]);
    uint16_t used = (uint16_t)(p->sent[channel] - p->granted[channel]);

    if (p->at == 0 && p->wait) {
        p->wait--;
        return false;
    }
    if (p->at == 0 && used + packet->beats > FSH_VC_BEATS)
        return false;
    player->draw = player->draw * UINT64_C(6364136223846793005) + 1;
    return !packet->hurry || (player->draw >> 40) % packet->hurry != 0;
}

static void send(struct player *player, struct port *p,
                 struct fsh_link_beat *beat)
{
    const struct peer_packet *packet = &p->queue[p->head % QUEUE];

    beat->valid = beat->bound = 0;
    if (owes(p) && (p->head == p->tail || p->since >= BOUND_GAP)) {
        if (!p->warned) { /* nothing comes between it and its beat */
            boundary(p, beat, false);
            return;
        }
    }
    if (p->head == p->tail)
        return;
    if (!p->warned && !goes(player, p, packet)) {
        if (owes(p))
            boundary(p, beat, false);
        return;
    }
    if (packet->poison && p->at + 1 == packet->beats && !p->warned) {
        boundary(p, beat, true);
        p->warned = true;
        return;
    }
    beat->valid = 1;
    memcpy(beat->data, packet->beat[p->at], sizeof beat->data);
    p->sent[channel_of(packet->beat[0])]++;
    p->since++;
    p->warned = false;
    if (++p->at == packet->beats) {
        p->at = 0;
        p->head++;
        p->wait = p->queue[p->head % QUEUE].before;
    }
}

/* A cycle: what comes in, what goes out, and whether more is to come. Register
 * writes are taken, and do nothing. */
static void play(struct player *player)
{
    const struct fsh_node_in *in = &player->io->in;
    struct fsh_node_out *out = &player->io->out;
    bool busy = false;

    for (uint32_t i = 0; i < FSH_NODE_PORTS; i++) {
        struct port *p = &player->port[i];

        if (in->rx[i].valid)
            take(p, &in->rx[i]);
        send(player, p, &out->tx[i]);
        busy |= p->head != p->tail || owes(p) || out->tx[i].valid;
    }
    out->bvalid = in->awvalid;
    out->idle = !busy && !out->bvalid;
}

/* --- in place of the node's wrapper --------------------------------------- */

struct fsh_node *__real_fsh_node_create(struct fsh_node_io *io, uint32_t index,
                                        uint64_t seed,
                                        struct fsh_node_waves *waves);
void __real_fsh_node_eval(struct fsh_node *node);
void __real_fsh_node_eval_two(struct fsh_node *one, struct fsh_node *two);
bool __real_fsh_node_unchanged(struct fsh_node *node);
struct fsh_node *__wrap_fsh_node_create(struct fsh_node_io *io, uint32_t index,
                                        uint64_t seed,
                                        struct fsh_node_waves *waves);
void __wrap_fsh_node_eval(struct fsh_node *node);
void __wrap_fsh_node_eval_two(struct fsh_node *one, struct fsh_node *two);
bool __wrap_fsh_node_unchanged(struct fsh_node *node);

struct fsh_node *__wrap_fsh_node_create(struct fsh_node_io *io, uint32_t index,
                                        uint64_t seed,
                                        struct fsh_node_waves *waves)
{
    struct fsh_node *node = __real_fsh_node_create(io, index, seed, waves);

    players[index].node = node;
    players[index].io = io;
    return node;
}

static struct player *played(const struct fsh_node *node)
{
    for (uint32_t i = 0; i < FSH_MAX_NODES; i++)
        if (players[i].node == node && players[i].played)
            return &players[i];
    return NULL;
}

void __wrap_fsh_node_eval(struct fsh_node *node)
{
    struct player *player = played(node);

    if (player)
        play(player);
    else
        __real_fsh_node_eval(node);
}

void __wrap_fsh_node_eval_two(struct fsh_node *one, struct fsh_node *two)
{
    if (!played(one) && !played(two)) {
        __real_fsh_node_eval_two(one, two);
        return;
    }
    __wrap_fsh_node_eval(one);
    __wrap_fsh_node_eval(two);
}

bool __wrap_fsh_node_unchanged(struct fsh_node *node)
{
    return !played(node) && __real_fsh_node_unchanged(node);
}
