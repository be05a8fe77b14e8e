'use client';
import { CircleAlert } from 'lucide-react';
import Link from 'next/link';
import { useMe } from '../me.tsx';
import { chainFaultMessage } from './chain-messages.ts';
import { useChain } from './use-chain.ts';

/** Alerts admins on other pages that the audit log failed verification; renders nothing while it is intact. */
export function BrokenChainNotice() {
  const { data: chain } = useChain();
  const zone = useMe().tenant.time_zone;
  if (!chain?.last?.fault) return null;
  return (
    <div role="alert" className="mb-5 flex items-start gap-2 rounded-md bg-danger-soft px-3 py-2 text-danger-ink">
      <CircleAlert aria-hidden className="mt-0.5 size-4 shrink-0" />
      <p className="wrap-anywhere">
        The audit log was tampered with. {chainFaultMessage(chain.last.fault, zone)}{' '}
        <Link href="/settings/audit" className="underline underline-offset-2">
          See the audit log
        </Link>
      </p>
    </div>
  );
}
