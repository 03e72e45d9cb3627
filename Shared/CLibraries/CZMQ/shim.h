#pragma once
#include <errno.h>
#include <sys/eventfd.h>
#include <zmq.h>
