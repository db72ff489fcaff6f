export const MCP_USAGE = `Usage: npm run --silent mcp -- [--url http://127.0.0.1:4780/mcp] [--key swb_…]
Connects an assistant that uses MCP over stdio to a running Switchboard.
Prefer the SWITCHBOARD_KEY variable: --key is visible in the process list.`
