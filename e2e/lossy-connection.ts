import { createSocket, type Socket } from 'node:dgram';
import type { Page } from '@playwright/test';
import type { SendSignalInput } from '#contract/visit-call.ts';
import { seededRandom } from '#dev/testing/seed.ts';

/** `candidate:1 1 udp 2122260223 10.0.0.5 41234 typ host …` */
const CANDIDATE = /^(candidate:\S+ 1 udp \d+ )(\d+\.\d+\.\d+\.\d+) (\d+)( typ host.*)$/i;

export type LossyConnection = {
  /** From now on, this percentage of packets is lost in each direction. */
  lose: (percent: number) => void;
  close: () => void;
};

/**
 * Stands between two pages: each gets the address of a local socket in place of the other's, and what arrives there is
 * forwarded, or dropped. Their signals are otherwise unchanged.
 */
export async function interceptConnection(pages: Page[]): Promise<LossyConnection> {
  const places = new Map<string, Promise<Socket>>();
  const random = seededRandom();
  let lost = 0;

  const open = (ip: string, port: number) =>
    new Promise<Socket>((resolve) => {
      const place = createSocket('udp4');
      place.on('message', async (packet, from) => {
        const other = await places.get(`${from.address}:${from.port}`);
        if (other && random() * 100 >= lost) other.send(packet, port, ip);
      });
      place.bind(0, ip, () => resolve(place));
    });
  async function standIn(candidate: string): Promise<string | null> {
    const [, head, ip, port, tail] = CANDIDATE.exec(candidate) ?? [];
    if (!head || !ip || !port) return null;
    const key = `${ip}:${port}`;
    const place = places.get(key) ?? open(ip, Number(port));
    places.set(key, place);
    return `${head}${ip} ${(await place).address().port}${tail}`;
  }
  for (const page of pages)
    await page.route('**/api/calls/signal', async (route) => {
      const input = route.request().postDataJSON() as SendSignalInput;
      const { signal } = input;
      if (signal.kind === 'description') signal.sdp = signal.sdp.replace(/^a=candidate:.*\r?\n/gm, '');
      if (signal.kind === 'candidate') {
        const changed = await standIn(signal.candidate);
        // A route that would bypass the socket.
        if (!changed) return route.fulfill({ status: 204 });
        signal.candidate = changed;
      }
      await route.continue({ postData: JSON.stringify(input) });
    });
  return {
    lose(percent) {
      lost = percent;
    },
    close() {
      for (const place of places.values()) void place.then((socket) => socket.close());
    },
  };
}
