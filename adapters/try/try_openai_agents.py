import asyncio
import os

from agents import Agent, OpenAIChatCompletionsModel, OpenAIResponsesModel, Runner, set_tracing_disabled
from openai import AsyncOpenAI

from cairn_server import cairn_server

set_tracing_disabled(True)  # which would go to OpenAI
client = AsyncOpenAI(base_url=os.environ["MODEL_URL"], api_key="none")


async def main() -> None:
    url, key, sandbox_id = (os.environ[name] for name in ("CAIRN_URL", "CAIRN_API_KEY", "CAIRN_SANDBOX"))
    for model in (OpenAIChatCompletionsModel("any", client), OpenAIResponsesModel("any", client)):
        async with cairn_server(url, key, sandbox_id=sandbox_id) as server:
            agent = Agent(name="Reader", instructions="Ask before you answer.", mcp_servers=[server], model=model)
            print((await Runner.run(agent, "Why did pump 7 stop?")).final_output)
            names = {tool.name for tool in await server.list_tools()}
            assert "ask" in names and "remember" not in names, names


asyncio.run(main())
