"""The language model behind Anthropic's client, at Anthropic or on Amazon Bedrock."""
