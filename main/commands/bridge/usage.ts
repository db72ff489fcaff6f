export const MCP_USAGE = `Usage: npm run --silent mcp -- [--url http://127.0.0.1:4780/mcp] [--key swb_…]
Bridges an assistant that speaks MCP over standard input and output to a running Switchboard.
Better than --key is the variable SWITCHBOARD_KEY: it stands in no list of processes.`
