/**
 * Message between the tabs of a browser about their shared session: it was extended, the user has signed out, it has
 * ended otherwise, or a user has signed in.
 */
type News = { endsAt: number } | 'signed_out' | 'ended' | 'signed_in';

type Message = { news: News; from: number };

const NAME = 'carelane-session';
/** Identifies a page by its start time. */
const thisPage = () => performance.timeOrigin;

export function notifyTabs(news: News): void {
  const channel = new BroadcastChannel(NAME);
  channel.postMessage({ news, from: thisPage() } satisfies Message);
  channel.close();
}

/** @returns a function that stops listening */
export function listenToTabs(onNews: (news: News) => void): () => void {
  const channel = new BroadcastChannel(NAME);
  // The page's own other channels receive the message, too.
  channel.onmessage = ({ data }: MessageEvent<Message>) => data.from !== thisPage() && onNews(data.news);
  return () => channel.close();
}
