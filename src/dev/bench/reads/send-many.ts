import { connect } from 'node:net';
import type { Figures } from '../job.ts';
import { quantile } from '../quantile.ts';

export type Target = { url: string; path: string; token?: string };

const END_OF_HEAD = '\r\n\r\n';
const LAST_CHUNK = '0\r\n\r\n';

/**
 * Repeats a GET with the given number of concurrent callers, each on its own connection. Uses raw sockets, because
 * Node's own client costs more CPU than the servers that are compared.
 */
export async function sendMany(target: Target, { callers, ms }: { callers: number; ms: number }): Promise<Figures> {
  const times: number[] = [];
  const startedAt = performance.now();
  await Promise.all(Array.from({ length: callers }, () => oneCaller(target, startedAt + ms, times)));
  const seconds = (performance.now() - startedAt) / 1000;
  return {
    'per second': times.length / seconds,
    'p50 ms': quantile(times, 0.5),
    'p99 ms': quantile(times, 0.99),
  };
}

function oneCaller({ url, path, token }: Target, until: number, times: number[]): Promise<void> {
  const { hostname, port, host } = new URL(url);
  const authorization = token ? `authorization: Bearer ${token}\r\n` : '';
  const request = `GET ${path} HTTP/1.1\r\nhost: ${host}\r\n${authorization}accept: application/json${END_OF_HEAD}`;
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname);
    let sentAt = 0;
    let response = '';
    const sendNext = () => {
      response = '';
      sentAt = performance.now();
      socket.write(request);
    };
    socket.setNoDelay().setEncoding('latin1');
    socket.once('connect', sendNext);
    socket.on('error', reject);
    socket.on('close', () => reject(new Error(`${path} closed the connection`)));
    socket.on('data', (part) => {
      response += part;
      const head = response.indexOf(END_OF_HEAD);
      if (head < 0 || !isComplete(response, head)) return;
      if (!response.startsWith('HTTP/1.1 200'))
        return void socket.destroy(new Error(`${path} answered ${response.slice(0, 300)}`));
      const now = performance.now();
      times.push(now - sentAt);
      if (now < until) return sendNext();
      socket.removeAllListeners('close').destroy();
      resolve();
    });
  });
}

function isComplete(response: string, head: number): boolean {
  const length = /\r\ncontent-length: (\d+)/i.exec(response.slice(0, head))?.[1];
  return length === undefined
    ? response.endsWith(LAST_CHUNK)
    : response.length >= head + END_OF_HEAD.length + Number(length);
}
