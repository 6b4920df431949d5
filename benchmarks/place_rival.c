/* Simulated annealing of zones for machines: one move or swap at a time, cooled by processor time.
 *
 * What each machine exchanges with every zone is kept, so a proposal costs a look-up and a taken
 * one the machine's neighbours. A member of a spread group changes places with another member; any
 * other machine moves where there is room, or changes places with one of no group.
 */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static uint64_t state;

static uint64_t next(void) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state;
}

static double unit(void) { return (double)(next() >> 11) * 0x1p-53; }

static int below(int count) { return (int)(((next() >> 32) * (uint64_t)count) >> 32); }

static double cpu_s(void) {
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

typedef struct {
    int count, zones;
    const int *starts, *ends; /* Rows of the traffic: who is seen. */
    const double *usd;
    int *zone;
    double *inside; /* Machines x zones: what is saved by standing there. */
} Placement;

static void put(Placement *at, int machine, int to) {
    int was = at->zone[machine];
    for (int k = at->starts[machine]; k < at->starts[machine + 1]; k++) {
        double *row = at->inside + (size_t)at->ends[k] * at->zones;
        row[was] -= at->usd[k];
        row[to] += at->usd[k];
    }
    at->zone[machine] = to;
}

static double between(const Placement *at, int one, int other) {
    double found = 0.0;
    for (int k = at->starts[one]; k < at->starts[one + 1]; k++)
        if (at->ends[k] == other) found += at->usd[k];
    return found;
}

/* Improve `zone` in place; returns the number of proposals. `room` is in machines of one size. */
long anneal(int count, int zones, const int *starts, const int *ends, const double *usd,
            const int *group, int group_size, const int *members, const int *room_at_start,
            int loose_count, const int *loose, double warm, double cold, double seconds,
            int64_t seed, int *zone) {
    Placement at = {count, zones, starts, ends, usd, malloc(sizeof(int) * count),
                    calloc((size_t)count * zones, sizeof(double))};
    int *room = malloc(sizeof(int) * zones);
    memcpy(room, room_at_start, sizeof(int) * zones);
    memcpy(at.zone, zone, sizeof(int) * count);
    for (int one = 0; one < count; one++)
        for (int k = starts[one]; k < starts[one + 1]; k++)
            at.inside[(size_t)one * zones + at.zone[ends[k]]] += usd[k];
    state = 0x9E3779B97F4A7C15u * (uint64_t)(seed + 1) | 1u;
    double begun = cpu_s(), temperature = warm, now = 0.0, least = 0.0;
    long proposals = 0;
    for (;; proposals++) {
        if (proposals % 4096 == 0) {
            double part = (cpu_s() - begun) / seconds;
            if (part >= 1.0) break;
            temperature = warm * pow(cold / warm, part);
        }
        int one = below(count), other = -1, to;
        if (group[one] >= 0) {
            other = members[group[one] * group_size + below(group_size)];
        } else if (next() & 1u) {
            other = loose[below(loose_count)];
        }
        int was = at.zone[one];
        to = other >= 0 ? at.zone[other] : below(zones);
        if (to == was || (other < 0 && room[to] < 1)) continue;
        const double *own = at.inside + (size_t)one * zones;
        double gain = own[to] - own[was];
        if (other >= 0) {
            const double *theirs = at.inside + (size_t)other * zones;
            gain += theirs[was] - theirs[to];
            /* The look at their own traffic is dear: most proposals fail without it. */
            if (gain < -40.0 * temperature) continue;
            gain -= 2.0 * between(&at, one, other);
        }
        if (gain < 0.0 && unit() >= exp(gain / temperature)) continue;
        put(&at, one, to);
        if (other >= 0) {
            put(&at, other, was);
        } else {
            room[to]--;
            room[was]++;
        }
        now -= gain;
        if (now < least - 1e-9) {
            least = now;
            memcpy(zone, at.zone, sizeof(int) * count);
        }
    }
    free(at.zone);
    free(at.inside);
    free(room);
    return proposals;
}
