#include "helve/cancel.h"

#include "surfaces/api/state.h"

namespace helve::api {

CancelToken::CancelToken() : state_(std::make_shared<const State>()) {}

void CancelToken::cancel() const noexcept { state_->token.cancel(); }

bool CancelToken::is_cancelled() const noexcept { return state_->token.is_cancelled(); }

}  // namespace helve::api
