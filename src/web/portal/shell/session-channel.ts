/** What one tab tells the others of this browser: that they share a session that went on, or is over. */
type News = { endsAt: number } | 'signed_out';

type Message = { news: News; from: number };

const NAME = 'carelane-session';
/** Tells one page from another: each began at a moment of its own. */
const thisPage = () => performance.timeOrigin;

export function tellTabs(news: News): void {
  const channel = new BroadcastChannel(NAME);
  channel.postMessage({ news, from: thisPage() } satisfies Message);
  channel.close();
}

/** @returns how to stop hearing them */
export function hearTabs(hear: (news: News) => void): () => void {
  const channel = new BroadcastChannel(NAME);
  // A page's other channels hear it too.
  channel.onmessage = ({ data }: MessageEvent<Message>) => data.from !== thisPage() && hear(data.news);
  return () => channel.close();
}
