import { createSocket, type Socket } from 'node:dgram';
import type { Page } from '@playwright/test';
import type { SendSignalInput } from '#contract/visit-call.ts';
import { seededRandom } from '#dev/testing/seed.ts';

/** `candidate:1 1 udp 2122260223 10.0.0.5 41234 typ host …` */
const CANDIDATE = /^(candidate:\S+ 1 udp \d+ )(\d+\.\d+\.\d+\.\d+) (\d+)( typ host.*)$/i;

export type LossyConnection = {
  /** From now on, this percentage of packets is lost in each direction. */
  setLoss: (percent: number) => void;
  close: () => void;
};

/**
 * Intercepts the connection of two pages. Each gets the address of a local socket in place of the other's; packets that
 * arrive there are forwarded or dropped. Their signals are otherwise unchanged.
 */
export async function interceptConnection(pages: Page[]): Promise<LossyConnection> {
  const sockets = new Map<string, Promise<Socket>>();
  const random = seededRandom();
  let lossPercent = 0;

  const openSocket = (ip: string, port: number) =>
    new Promise<Socket>((resolve) => {
      const socket = createSocket('udp4');
      socket.on('message', async (packet, from) => {
        const destination = await sockets.get(`${from.address}:${from.port}`);
        if (destination && random() * 100 >= lossPercent) destination.send(packet, port, ip);
      });
      socket.bind(0, ip, () => resolve(socket));
    });
  async function substituteAddress(candidate: string): Promise<string | null> {
    const [, head, ip, port, tail] = CANDIDATE.exec(candidate) ?? [];
    if (!head || !ip || !port) return null;
    const key = `${ip}:${port}`;
    const opening = sockets.get(key) ?? openSocket(ip, Number(port));
    sockets.set(key, opening);
    return `${head}${ip} ${(await opening).address().port}${tail}`;
  }
  for (const page of pages)
    await page.route('**/api/calls/signal', async (route) => {
      const input = route.request().postDataJSON() as SendSignalInput;
      const { signal } = input;
      if (signal.kind === 'description') signal.sdp = signal.sdp.replace(/^a=candidate:.*\r?\n/gm, '');
      if (signal.kind === 'candidate') {
        const substitute = await substituteAddress(signal.candidate);
        // A route that would bypass the socket.
        if (!substitute) return route.fulfill({ status: 204 });
        signal.candidate = substitute;
      }
      await route.continue({ postData: JSON.stringify(input) });
    });
  return {
    setLoss(percent) {
      lossPercent = percent;
    },
    close() {
      for (const opening of sockets.values()) void opening.then((socket) => socket.close());
    },
  };
}
