'use client';
import { useMutation } from '@tanstack/react-query';
import { type ChangeEvent, useId, useRef } from 'react';
import type { ClinicView } from '#contract/clinic.ts';
import { LOGO_BYTES, LOGO_TOO_LARGE } from '#contract/logo-size.ts';
import { faultOf, faultSentence } from '#web/ui/api-faults.ts';
import { Button } from '#web/ui/button.tsx';
import { Card, CardBody, CardHeader } from '#web/ui/card.tsx';
import { FormError } from '#web/ui/form-error.tsx';
import { toast } from '#web/ui/toast.ts';
import { useTRPC, useTRPCClient } from '../../trpc-client.tsx';
import { useSavedClinic } from './use-saved-clinic.ts';

const PREFIX = /^data:[^,]*;base64,/;

const TOO_LARGE = faultOf('invalid_parameter', LOGO_TOO_LARGE);

/** Reads the file as base64. Rejects a file that is too large before it is uploaded. */
function readFile(file: File): Promise<string> {
  if (file.size > LOGO_BYTES) return Promise.reject(TOO_LARGE);
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result).replace(PREFIX, ''));
    reader.onerror = () => reject(reader.error);
    reader.readAsDataURL(file);
  });
}

/** The logo on patients' pages and in emails. */
export function LogoCard({ clinic }: { clinic: ClinicView | null }) {
  const trpc = useTRPC();
  const client = useTRPCClient();
  const saved = useSavedClinic();
  const input = useRef<HTMLInputElement>(null);
  const hint = useId();
  const upload = useMutation({
    mutationFn: async (file: File) => client.clinic.setLogo.mutate({ png: await readFile(file) }),
    onSuccess: (now) => {
      toast.success('Logo saved');
      saved(now);
    },
  });
  const remove = useMutation(
    trpc.clinic.removeLogo.mutationOptions({
      onSuccess: (now) => {
        toast.success('Logo removed');
        saved(now);
      },
      onError: (error) => toast.error(faultSentence(error)),
    }),
  );
  const choose = ({ target }: ChangeEvent<HTMLInputElement>) => {
    const [file] = target.files ?? [];
    // Lets the user choose the same file again.
    target.value = '';
    if (file) upload.mutate(file);
  };
  const logo = clinic?.logo;
  return (
    <Card aria-label="Logo">
      <CardHeader title="Logo" description="It stands beside your name on patients’ pages and in mails." />
      <CardBody className="grid gap-3">
        <div className="grid h-20 w-full max-w-72 place-items-center rounded-lg border border-line bg-white p-3">
          {logo ? (
            // biome-ignore lint/performance/noImgElement: it is small already, and Next's optimizer would copy it
            <img
              src={logo.path}
              alt={`Logo of ${clinic.name}`}
              width={logo.width}
              height={logo.height}
              className="h-auto max-h-14 w-auto max-w-full object-contain"
            />
          ) : (
            <span className="text-[13px] text-[#51636a]">{clinic ? 'No logo yet' : ''}</span>
          )}
        </div>
        {upload.error && <FormError>{faultSentence(upload.error)}</FormError>}
        <div className="flex flex-wrap items-center gap-2">
          <input
            ref={input}
            type="file"
            accept="image/png"
            aria-label="Logo file"
            aria-describedby={hint}
            onChange={choose}
            className="sr-only"
            tabIndex={-1}
          />
          <Button pending={upload.isPending} disabled={!clinic} onClick={() => input.current?.click()}>
            {logo ? 'Choose another logo' : 'Choose a logo'}
          </Button>
          {logo && (
            <Button variant="ghost" pending={remove.isPending} onClick={() => remove.mutate({})}>
              Remove logo
            </Button>
          )}
        </div>
        <p id={hint} className="text-[13px] text-muted">
          A PNG picture of at most 256 kB and 2000 pixels each way. On dark pages it stands on white, as here.
        </p>
      </CardBody>
    </Card>
  );
}
