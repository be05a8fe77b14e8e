'use client';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { faultSentence } from '#web/ui/api-faults.ts';
import { Button } from '#web/ui/button.tsx';
import { toast } from '#web/ui/toast.ts';
import { useTRPC } from '../../trpc-client.tsx';

/** Keywords that a phone can reply with. */
const ANSWERS = ['STOP', 'START', 'HELP'] as const;

/** Replies to a text message as the patient's phone would. */
export function WriteBack({ id }: { id: string }) {
  const trpc = useTRPC();
  const queries = useQueryClient();
  const [said, setSaid] = useState<string | null>(null);
  const reply = useMutation(
    trpc.inbox.reply.mutationOptions({
      onSuccess: (_, { text }) => {
        toast.success(`Answered ${text}`);
        return queries.invalidateQueries(trpc.inbox.pathFilter());
      },
      onError: (error) => toast.error(faultSentence(error)),
    }),
  );
  return (
    <fieldset className="flex flex-wrap items-center gap-2 border-0 p-0">
      <legend className="sr-only">Answer as the patient’s phone</legend>
      <span aria-hidden className="text-[13px] text-muted">
        Answer as the patient’s phone
      </span>
      {ANSWERS.map((text) => (
        <Button
          key={text}
          size="sm"
          pending={reply.isPending && said === text}
          onClick={() => {
            setSaid(text);
            reply.mutate({ id, text });
          }}
        >
          {text}
        </Button>
      ))}
    </fieldset>
  );
}
