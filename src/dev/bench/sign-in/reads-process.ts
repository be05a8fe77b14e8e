/**
 * Another client: reads at a fixed rate, independently of earlier responses. The first message names the target; then
 * each `begin` is followed by an `end`, whose response is the duration of each read in milliseconds.
 */
import { Agent, get } from 'node:http';
import { serveMessages } from '../start-process.ts';

let agent = new Agent();
let target = { url: '', token: '', perSecond: 1 };
let reads: Promise<number | Error>[] = [];
let timer: NodeJS.Timeout | undefined;

function read(): Promise<number> {
  const sentAt = performance.now();
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${target.token}` };
    get(target.url, { agent, headers }, (response) => {
      if (response.statusCode !== 200) reject(new Error(`${target.url} answered ${response.statusCode}`));
      response.resume().on('end', () => resolve(performance.now() - sentAt));
    }).on('error', reject);
  });
}

serveMessages(async (message: 'begin' | 'end' | typeof target) => {
  if (typeof message === 'object') {
    target = message;
    return 'ready';
  }
  if (message === 'begin') {
    reads = [];
    // The service may be closing a connection that was idle for long.
    agent = new Agent({ keepAlive: true });
    timer = setInterval(() => reads.push(read().catch((error: Error) => error)), 1000 / target.perSecond);
    return 'begun';
  }
  clearInterval(timer);
  const times = (await Promise.all(reads)).map((time) => {
    if (time instanceof Error) throw time;
    return time;
  });
  agent.destroy();
  return times;
});
