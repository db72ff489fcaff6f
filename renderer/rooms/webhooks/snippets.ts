/**
 * Examples to copy. Each verifies a delivery as the specification requires: over the received bytes, before parsing
 * them.
 */
export const SNIPPETS = {
  node: {
    name: 'Node.js',
    code: `import { createHmac, timingSafeEqual } from 'node:crypto'

const SECRET = process.env.SWITCHBOARD_WEBHOOK_SECRET // all of it, whsec_ included

// rawBody: the bytes as they came (a Buffer), before any JSON parsing.
// headers: names in lower case, as Node gives them.
export function isFromSwitchboard(rawBody, headers, secret = SECRET) {
  const timestamp = headers['x-service-timestamp'] ?? ''
  if (!/^\\d+$/.test(timestamp)) return false
  if (Math.abs(Date.now() / 1000 - Number(timestamp)) > 300) return false
  const mac = createHmac('sha256', secret).update(timestamp + '.').update(rawBody)
  const expected = Buffer.from('sha256=' + mac.digest('hex'))
  // While the secret is being rotated, either signature is good.
  const names = ['x-service-signature', 'x-service-signature-previous']
  return names.some((name) => {
    const given = Buffer.from(headers[name] ?? '')
    return given.length === expected.length && timingSafeEqual(given, expected)
  })
}
`,
  },
  python: {
    name: 'Python',
    code: `import hashlib
import hmac
import os
import re
import time

SECRET = os.environ.get("SWITCHBOARD_WEBHOOK_SECRET", "")  # all of it, whsec_ included


# raw_body: the bytes as they came, before any JSON parsing.
# headers: names in lower case.
def is_from_switchboard(raw_body, headers, secret=SECRET):
    timestamp = headers.get("x-service-timestamp", "")
    if not re.fullmatch("[0-9]+", timestamp):
        return False
    if abs(time.time() - int(timestamp)) > 300:
        return False
    message = timestamp.encode() + b"." + raw_body
    mac = hmac.new(secret.encode(), message, hashlib.sha256)
    expected = ("sha256=" + mac.hexdigest()).encode()
    # While the secret is being rotated, either signature is good.
    names = ("x-service-signature", "x-service-signature-previous")
    given = [headers.get(name, "").encode() for name in names]
    return any(hmac.compare_digest(each, expected) for each in given)
`,
  },
  php: {
    name: 'PHP',
    code: `<?php
// $rawBody: file_get_contents('php://input'), before any JSON parsing.
// $headers: array_change_key_case(getallheaders()), names in lower case.
// $secret: all of it, whsec_ included.
function isFromSwitchboard(string $rawBody, array $headers, string $secret): bool
{
    $timestamp = $headers['x-service-timestamp'] ?? '';
    if (!preg_match('/^\\d+$/D', $timestamp)) {
        return false;
    }
    if (abs(time() - (int) $timestamp) > 300) {
        return false;
    }
    $mac = hash_hmac('sha256', $timestamp . '.' . $rawBody, $secret);
    $expected = 'sha256=' . $mac;
    // While the secret is being rotated, either signature is good.
    return hash_equals($expected, $headers['x-service-signature'] ?? '')
        || hash_equals($expected, $headers['x-service-signature-previous'] ?? '');
}
`,
  },
  go: {
    name: 'Go',
    code: `package switchboard

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"strconv"
	"time"
)

// IsFromSwitchboard verifies a delivery.
// rawBody: the bytes as they came, before any JSON parsing.
// secret: all of it, whsec_ included.
func IsFromSwitchboard(rawBody []byte, headers http.Header, secret string) bool {
	timestamp := headers.Get("X-Service-Timestamp")
	sent, err := strconv.ParseInt(timestamp, 10, 64)
	if err != nil {
		return false
	}
	if time.Since(time.Unix(sent, 0)).Abs() > 5*time.Minute {
		return false
	}
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte(timestamp + "."))
	mac.Write(rawBody)
	expected := []byte("sha256=" + hex.EncodeToString(mac.Sum(nil)))
	given := []byte(headers.Get("X-Service-Signature"))
	// While the secret is being rotated, either signature is good.
	previous := []byte(headers.Get("X-Service-Signature-Previous"))
	return hmac.Equal(given, expected) || hmac.Equal(previous, expected)
}
`,
  },
} as const

export type SnippetLanguage = keyof typeof SNIPPETS
export const SNIPPET_LANGUAGES = Object.keys(SNIPPETS) as readonly SnippetLanguage[]
