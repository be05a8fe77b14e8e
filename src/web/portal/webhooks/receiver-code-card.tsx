'use client';
import { useState } from 'react';
import { Card, CardBody, CardHeader } from '#web/ui/card.tsx';
import { ViewTabs } from '#web/ui/view-tabs.tsx';
import { CodeBlock } from '../../ui/code-block.tsx';
import { receiverCode } from './receiver-code.ts';

/** Sample code for the developers of the receiver. */
export function ReceiverCodeCard({ url }: { url: string }) {
  const [shown, setShown] = useState<'curl' | 'node' | 'python'>('curl');
  const codes = receiverCode(url);
  const { file, label, code } = codes.find(({ value }) => value === shown)!;
  return (
    <Card aria-label="For the developers of the receiver">
      <CardHeader
        title="For the developers of the receiver"
        description="It has to know what comes from Carelane by the signing secret, and to do each event once."
      />
      <CardBody>
        <ViewTabs label="Code in" options={codes} value={shown} onChange={setShown} />
        <CodeBlock key={shown} title={file} of={label} code={code} />
      </CardBody>
    </Card>
  );
}
