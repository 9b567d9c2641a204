/* Twill: task-based dense linear algebra. This header includes the whole public API. */
#ifndef TWILL_H
#define TWILL_H

#include <twill/algorithm.h>
#include <twill/array.h>
#include <twill/cholesky.h>
#include <twill/context.h>
#include <twill/copy.h>
#include <twill/critical.h>
#include <twill/decompose.h>
#include <twill/device.h>
#include <twill/file.h>
#include <twill/graph.h>
#include <twill/group.h>
#include <twill/indefinite.h>
#include <twill/la.h>
#include <twill/level3.h>
#include <twill/lu.h>
#include <twill/matrix.h>
#include <twill/mixed.h>
#include <twill/pattern.h>
#include <twill/ptg.h>
#include <twill/qr.h>
#include <twill/sched.h>
#include <twill/simulate.h>
#include <twill/status.h>
#include <twill/summa.h>
#include <twill/task.h>
#include <twill/trace.h>
#include <twill/tune.h>
#include <twill/view.h>

#endif
