'use client';
import { SendHorizontal, X } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { IconButton } from '#web/ui/button.tsx';
import { cn } from '#web/ui/cn.ts';
import { Input } from '#web/ui/input.tsx';
import type { ChatMessage } from './call.ts';
import { MAX_CHAT_LENGTH } from './connection.ts';

type CallChatProps = {
  messages: ChatMessage[];
  /** The name of the other participant. */
  other: string;
  canSend: boolean;
  onSend: (text: string) => boolean;
  onClose: () => void;
};

/** The chat between both participants, from browser to browser; it is not stored. */
export function CallChat({ messages, other, canSend, onSend, onClose }: CallChatProps) {
  const [text, setText] = useState('');
  const [opener] = useState(() => document.activeElement as HTMLElement | null);
  const close = () => {
    onClose();
    opener?.focus();
  };
  const field = useRef<HTMLInputElement>(null);
  const end = useRef<HTMLDivElement>(null);
  useEffect(() => {
    field.current?.focus();
  }, []);
  // biome-ignore lint/correctness/useExhaustiveDependencies: each new line is brought into view
  useEffect(() => {
    // A block body: some browsers return a promise, which React would take for a cleanup function.
    end.current?.scrollIntoView({ block: 'nearest' });
  }, [messages.length]);
  const send = () => {
    const message = text.trim();
    if (message && onSend(message)) setText('');
  };
  return (
    <section
      aria-label="Chat"
      onKeyDown={(event) => event.key === 'Escape' && close()}
      className="flex h-[min(24rem,60%)] shrink-0 flex-col rounded-t-xl border-t border-line bg-raised landscape:h-auto landscape:w-80 landscape:max-w-1/2 landscape:rounded-none landscape:border-t-0 landscape:border-l"
    >
      <div className="flex items-center justify-between gap-2 px-4 py-2">
        <h2 className="font-semibold">Chat</h2>
        <IconButton icon={X} label="Close chat" onClick={close} />
      </div>
      <div
        role="log"
        aria-label="What was written"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be reachable by keyboard
        tabIndex={0}
        className="flex min-h-0 flex-1 flex-col gap-2 overflow-y-auto px-4 focus-visible:-outline-offset-2"
      >
        <p className="text-[13px] text-muted">
          Only the two of you see this. It is not kept: it is gone when the call is over.
        </p>
        {messages.map(({ id, isOwn, text: body }) => (
          <p
            key={id}
            className={cn(
              'max-w-[85%] rounded-lg px-3 py-1.5 whitespace-pre-wrap wrap-anywhere',
              isOwn ? 'self-end bg-accent-soft text-accent-ink' : 'self-start bg-neutral-soft text-neutral-ink',
            )}
          >
            <span className="sr-only">{isOwn ? 'You: ' : `${other}: `}</span>
            {body}
          </p>
        ))}
        <div ref={end} />
      </div>
      <div className="flex items-center gap-2 p-3">
        <Input
          ref={field}
          aria-label="Message"
          placeholder={canSend ? 'Write a message' : 'Not connected'}
          value={text}
          maxLength={MAX_CHAT_LENGTH}
          autoComplete="off"
          onChange={(event) => setText(event.target.value)}
          onKeyDown={(event) => event.key === 'Enter' && !event.nativeEvent.isComposing && send()}
        />
        <IconButton icon={SendHorizontal} label="Send" variant="primary" disabled={!canSend} onClick={send} />
      </div>
    </section>
  );
}
