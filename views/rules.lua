-- SPDX-License-Identifier: BSD-3-Clause
-- The rules of a design: which values of its axes do not go together, and why. `axes` has the texts of the design's axes by
-- name (possibly only those that differ from the default design, with the others by its metatable); `defaults` has those of
-- the default design; `kinds` says what the kinds of servers can do (struct agent_kind), in their order.
local rules = {}

-- --- what a rule asks ---------------------------------------------------------------------------

local PASSES_NO_MESSAGES = { none = true, shmem = true }
local OWN_SIGNAL = { after = true, nic_fence = true, quiet = true }
local MOVED_BY_SERVER = { server = true, peer_copy = true, copy_engine = true }
local COPIED_BY_RUNTIME = { peer_copy = true, copy_engine = true }

local function is_kernel(axes) return axes.initiator == "kernel" end

-- Whether processes keep their data in host memory, where CPU cores work on them.
local function is_of_cpu(axes) return axes.initiator == "host" and axes.node == "discrete" and axes.heap == "host" end

local function is_triggered(kind) return kind and kind.is_trigger end

-- Whether the design has a server that polls for work.
local function has_poller(axes, kind) return is_kernel(axes) and kind and not kind.is_initiator end

local function gathers(axes) return axes["coalesce.count"] ~= "0" end

local function serves_itself(kind) return kind.is_initiator and not kind.is_trigger end
local function is_on_board(kind) return kind.is_on_board end
local function is_on_gpu(kind) return kind.is_on_gpu end
local function calls_runtime(kind) return kind.calls_runtime end

-- --- rules ----------------------------------------------------------------------------------------

-- Each rule: a combination that makes no sense, the reason, and, if the reason continues with "it takes server = ...", the
-- kinds that can do it.
local RULES = {
  { function(axes)
      return axes.node == "coherent" and (axes["queue.memory"] == "gpu" or axes["nic_queue.memory"] == "gpu" or axes.heap == "gpu")
    end,
    "on a coherent node GPU and host share the host's memory; it takes queue.memory, nic_queue.memory and heap = host" },
  { function(axes, kind) return is_kernel(axes) and not kind end,
    "a kernel's requests need a server; where the work-group serves itself, that is ", serves_itself },
  { function(axes) return is_kernel(axes) and axes.payload == "staged" end,
    "a work-group's payload is sent directly; payload = staged is what programs on the host do" },
  { function(axes) return is_kernel(axes) and not PASSES_NO_MESSAGES[axes.runtime] end,
    "work-groups cannot run that runtime: ranks pass its messages, on the server's cores if there is a server; it takes " ..
    "initiator = host, or runtime = shmem" },
  { function(axes) return axes.runtime == "charm" and axes.payload == "direct" and not is_of_cpu(axes) end,
    "entry methods of runtime = charm carry host data (payload = staged); GPU data go by runtime = messaging or channel" },
  { function(axes)
      return (axes.runtime == "messaging" or axes.runtime == "channel") and (axes.payload == "staged" or is_of_cpu(axes))
    end,
    "runtimes messaging and channel are for GPU data, payload = direct and heap = gpu; host data go by runtime = charm" },
  { function(axes) return axes.payload == "staged" and is_of_cpu(axes) end,
    "payload = staged copies GPU data through host memory; with heap = host they are there" },
  { function(axes) return axes.fence == "by_context" and axes.completion ~= "by_context" end,
    "fence = by_context is lifted context by context; it takes completion = by_context" },
  -- A rank's staging buffers are in the memory of sockets.
  { function(axes, kind) return not is_kernel(axes) and axes.payload == "staged" and kind and not kind.is_on_host end,
    "payload = staged takes data through the host's memory, for ranks on its cores; a command processor reaches GPU data where " ..
    "they lie, payload = direct" },
  { function(axes, kind) return not is_kernel(axes) and kind and PASSES_NO_MESSAGES[axes.runtime] end,
    "initiator = host with a server is a rank on the server's core; it takes a runtime of messages: runtime = charm, messaging, " ..
    "channel, ampi, charm4py, openmpi, spectrum or mvapich" },
  { function(axes, kind) return axes["nic_queue.memory"] == "nic" and not (kind and is_on_board(kind)) end,
    "nic_queue.memory = nic is the memory of a SmartNIC's board; it takes ", is_on_board },
  { function(axes) return (axes.word_set_by == "server" or axes.signal_by == "server") and axes.heap ~= "gpu" end,
    "a server is told to set words of its GPU; word_set_by and signal_by = server take heap = gpu" },
  { function(axes, kind) return axes.quiet_by == "each_round" and not has_poller(axes, kind) end,
    "quiet_by = each_round takes completions in the rounds of a server who polls; there is none" },
  { function(axes, kind)
      return axes["nic_queue.reserve"] == "atomic" and
             (axes.completion == "by_context" or axes.quiet_by ~= "counter" or is_triggered(kind) or gathers(axes))
    end,
    "nic_queue.reserve = atomic is for a server or work-group that issues commands and waits for a counter of completions; it " ..
    "takes quiet_by = counter, completion = together, coalesce.count = 0 and no server = nic_trigger" },
  { function(axes, kind)
      return axes.peer ~= "nic" and
             (not is_kernel(axes) or is_triggered(kind) or axes.node == "discrete" and axes.heap ~= "gpu")
    end,
    "what moves between GPUs of a node is asked for by a kernel, and lies in memory of GPUs; a peer that is not the NIC takes " ..
    "initiator = kernel, no server = nic_trigger, and heap = gpu or node = coherent" },
  -- A CPU's core reaches another socket's memory by its caches, which service threads do not simulate.
  { function(axes) return MOVED_BY_SERVER[axes.peer] and axes.node ~= "discrete" end,
    "on a coherent node peer = server, peer_copy and copy_engine are not simulated; it takes peer = work_group or nic" },
  { function(axes, kind) return MOVED_BY_SERVER[axes.peer] and not has_poller(axes, kind) end,
    "a server that polls moves data with peer = server, peer_copy and copy_engine; where work-groups serve themselves it takes " ..
    "peer = work_group or nic" },
  { function(axes, kind) return COPIED_BY_RUNTIME[axes.peer] and not (kind and calls_runtime(kind)) end,
    "copies of the GPU's runtime are calls of a thread on the host; peer = peer_copy and copy_engine take ", calls_runtime },
  { function(axes, kind)
      return is_triggered(kind) and (OWN_SIGNAL[axes.signal] or axes.fence == "nic_fence")
    end,
    "a trigger starts one command that was posted beforehand; it takes signal = with_put or chained, and no fence = nic_fence" },
  { function(axes) return gathers(axes) and (axes.fence == "order" or axes.fence == "nic_fence") end,
    "a server writes gathered puts to memory, not in the order of a NIC's queue; they take fence = quiet or by_context" },
  -- A process runs on a core of the server's kind, if that can run one.
  { function(axes, kind) return not is_kernel(axes) and kind and kind.no_rank end, function(kind) return kind.no_rank end },
}

-- --- axes that nothing would read -------------------------------------------------------------------

local OF_KERNELS = "what a kernel asks for; with initiator = host a process's runtime has its own"

-- Each scope: when some axes have an effect, these axes, what they are for, and kinds as above. Elsewhere these axes must
-- keep their defaults, since a setting without effect is refused with the sentence "AXIS = VALUE is for ...".
local SCOPES = {
  { has_poller,
    "service_threads queue.locked polling_rounds completion marks poll_loop queue.wait_on coalesce.count word_set_by queue.count " ..
    "queue.room_by take_instructions",
    "a server who polls; there is none" },
  -- On a coherent node these memories are the host's.
  { function(axes) return is_kernel(axes) or axes.node == "coherent" end, "queue.memory nic_queue.memory", OF_KERNELS },
  { is_kernel,
    "nic_queue.order nic_queue.sharers nic_queue.reserve nic_queue.fences signal fence quiet_by verb_instructions", OF_KERNELS },
  { function(_, kind) return not is_triggered(kind) end, "nic_queue.memory nic_queue.sharers",
    "commands that are posted when they are asked for; those of triggers lie in host memory, in a queue for each work-group" },
  { function(axes, kind) return axes.peer == "work_group" or axes.peer == "server" and kind and kind.is_on_gpu end, "copy_unroll",
    "copies by lanes of a wavefront; it takes peer = work_group, or peer = server and ", is_on_gpu },
  { gathers, "coalesce.size coalesce.timeout", "gathered puts; it takes coalesce.count > 0" },
  { function(axes) return axes["queue.polling"] == "loads" end, "marks",
    "marks by stores; queue.polling = runtime_call marks by a call that is waited for" },
  { function(axes, kind) return kind and kind.calls_runtime and axes["queue.memory"] == "gpu" end, "queue.polling",
    "a CPU thread and queues in GPU memory; it takes queue.memory = gpu and ", calls_runtime },
  { function(axes) return OWN_SIGNAL[axes.signal] end, "signal_by",
    "a signal that is a command of its own; it takes signal = after, nic_fence or quiet" },
}

local SCOPES_OF = {} -- by axis

for _, scope in ipairs(SCOPES) do
  local names = {}
  for axis in scope[2]:gmatch("%S+") do
    names[#names + 1] = axis
    SCOPES_OF[axis] = SCOPES_OF[axis] or {}
    table.insert(SCOPES_OF[axis], scope)
  end
  scope[2] = names
end

-- Whether an axis that has no effect differs from its default.
local function is_outside(axes, defaults, kind)
  for axis, value in next, axes do
    local scopes = value ~= defaults[axis] and SCOPES_OF[axis]
    for i = 1, scopes and #scopes or 0 do
      if not scopes[i][1](axes, kind) then return true end
    end
  end
  return false
end

-- "... it takes server = gpu_thread or gpu_warp".
local function with_kinds(text, kinds, can)
  local names = {}
  for _, kind in ipairs(can and kinds or {}) do
    if can(kind) then names[#names + 1] = kind.name end
  end
  return text .. (can and "server = " .. table.concat(names, " or ") or "")
end

-- The sentence of the first rule that the design breaks, without full stop; nil if its axes go together.
function rules.broken(axes, defaults, kinds)
  local kind
  local server = axes.server
  for i = 1, #kinds do
    if kinds[i].name == server then kind = kinds[i] end
  end
  for i = 1, #RULES do
    local rule = RULES[i]
    if rule[1](axes, kind) then
      return type(rule[2]) == "string" and with_kinds(rule[2], kinds, rule[3]) or rule[2](kind)
    end
  end
  if not is_outside(axes, defaults, kind) then return end
  for _, scope in ipairs(SCOPES) do
    for _, axis in ipairs(scope[1](axes, kind) and {} or scope[2]) do
      if axes[axis] ~= defaults[axis] then
        return with_kinds(string.format("%s = %s is for %s", axis, axes[axis], scope[3]), kinds, scope[4])
      end
    end
  end
end

return rules
