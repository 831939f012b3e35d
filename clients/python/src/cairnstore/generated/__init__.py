"""What is made of the contract by ``npm run clients``."""
