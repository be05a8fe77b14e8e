'use client';
import { Check } from 'lucide-react';
import { type FormEvent, useState } from 'react';
import { firstErrorMessage } from '../../ui/api-errors.ts';
import { Button } from '../../ui/button.tsx';
import { Field } from '../../ui/field.tsx';
import { Input } from '../../ui/input.tsx';

type PromotionCodeProps = { redeemed: string | null; onRedeem: (code: string) => Promise<void> };

/** The promotion code field; the summary above shows the discount before the payment. */
export function PromotionCode({ redeemed, onRedeem }: PromotionCodeProps) {
  const [code, setCode] = useState('');
  const [pending, setPending] = useState(false);
  const [message, setMessage] = useState<string | null>(null);
  const redeem = async (event: FormEvent) => {
    event.preventDefault();
    if (pending) return;
    const wanted = code.trim();
    if (!wanted) return setMessage('Type the code first.');
    setPending(true);
    setMessage(null);
    try {
      await onRedeem(wanted);
      setCode('');
    } catch (error) {
      setMessage(firstErrorMessage(error));
    }
    setPending(false);
  };
  return (
    <form onSubmit={redeem} noValidate className="grid gap-2">
      <div className="flex items-start gap-2">
        <Field label="Promotion code" error={message ?? undefined} className="min-w-0 flex-1">
          <Input
            value={code}
            maxLength={100}
            autoCapitalize="characters"
            autoComplete="off"
            spellCheck={false}
            onChange={(event) => setCode(event.target.value)}
          />
        </Field>
        {/* Aligned with the field, below its label. */}
        <Button type="submit" pending={pending} className="mt-[26px]">
          Apply
        </Button>
      </div>
      <p role="status" className="flex items-center gap-1.5 text-good-ink empty:hidden">
        {redeemed && (
          <>
            <Check aria-hidden className="size-4 shrink-0" />
            <span className="wrap-anywhere">The code {redeemed} is applied.</span>
          </>
        )}
      </p>
    </form>
  );
}
